import type { DocRow, Token as CodeToken } from '../../client'

/** A piece of a row's text with its color class. */
export interface Token {
  class: 'k' | 'p' | 's' | 'n' | 'bo' | 'nu'
  text: string
}

const scalar = { number: 'n', boolean: 'bo', null: 'nu' } as const

/** Returns the part of a row after its key, as tokens. */
export function valueTokens(row: DocRow): Token[] {
  switch (row.kind) {
    case 'object':
    case 'array': {
      const [open, close] = row.kind === 'object' ? ['{', '}'] : ['[', ']']
      if (row.count === 0) return [{ class: 'p', text: open + close }]
      if (row.open) return [{ class: 'p', text: open }]
      if (row.preview) return previewTokens(row.preview)
      return [{ class: 'p', text: `${open} … ${close}` }]
    }
    case 'end':
      return [{ class: 'p', text: (row.of === 'array' ? ']' : '}') + (row.comma ? ',' : '') }]
    case 'string':
      return [{ class: 's', text: `${JSON.stringify(row.text ?? '').slice(0, -1)}${row.cut ? '…' : ''}"` }]
    default:
      return [{ class: scalar[row.kind], text: (row.text ?? '') + (row.cut ? '…' : '') }]
  }
}

const lexeme = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[A-Za-z_$][\w$.-]*|\s+|./gsu

/** Highlights the one-line preview of a collapsed object or array. */
export function previewTokens(preview: string): Token[] {
  const words = preview.match(lexeme) ?? []
  return words.map((text, i) => {
    const isKey = /^["\p{L}_$]/u.test(text) && words[i + 1] === ':'
    if (isKey) return { class: 'k', text }
    if (text.startsWith('"')) return { class: 's', text }
    if (/^-?\d/.test(text)) return { class: 'n', text }
    if (text === 'true' || text === 'false') return { class: 'bo', text }
    if (text === 'null') return { class: 'nu', text }
    return { class: 'p', text }
  })
}

const coloured = { k: 'name', s: 'string', n: 'number', bo: 'keyword', nu: 'keyword', p: 'punctuation' } as const

/** Highlights typed JSON in the same way as Go highlights code. */
export function jsonLines(text: string): CodeToken[][] {
  return text.split('\n').map((line) => previewTokens(line).map((t) => ({ class: coloured[t.class], text: t.text })))
}

/** Returns the note after a row: the number of children, or details from Go. */
export function note(row: DocRow): string {
  if (row.hint) return row.hint
  if (row.kind === 'array' && row.count) return `${row.count} ${row.count === 1 ? 'item' : 'items'}`
  if (row.kind === 'object' && row.count && !row.open && !row.preview)
    return `${row.count} ${row.count === 1 ? 'field' : 'fields'}`
  return ''
}

/** Returns the text if all of it is a web address; '' otherwise. */
export function link(row: DocRow): string {
  if (row.kind !== 'string' || row.cut || !row.text) return ''
  return /^https?:\/\/[^\s"<>]+$/i.test(row.text) ? row.text : ''
}

/** Splits a text at the matches of a search. */
export function highlight(text: string, query: string, matchCase: boolean): { text: string; hit: boolean }[] {
  if (!query) return [{ text, hit: false }]
  const [hay, needle] = matchCase ? [text, query] : [text.toLowerCase(), query.toLowerCase()]
  const out: { text: string; hit: boolean }[] = []
  let at = 0
  for (let hit = hay.indexOf(needle); hit >= 0; hit = hay.indexOf(needle, at)) {
    if (hit > at) out.push({ text: text.slice(at, hit), hit: false })
    at = hit + needle.length
    out.push({ text: text.slice(hit, at), hit: true })
  }
  if (at < text.length || !out.length) out.push({ text: text.slice(at), hit: false })
  return out
}

/**
 * Returns a variable name for a value: deviceId for `id` below /device/devices, otherwise the key, without characters
 * that are not allowed.
 */
export function variableName(path: string, request: string): string {
  const keys = [...path.matchAll(/\.([^.[\]]+)|\["((?:[^"\\]|\\.)*)"\]/g)].map((m) => m[1] ?? m[2])
  const key = camel(keys.at(-1) ?? 'value')
  if (key !== 'id' && key !== 'name') return key
  const owner =
    keys.length > 1 && keys.at(-2) !== 'items'
      ? keys.at(-2)!
      : (request
          .split(/[?#]/)[0]
          .split('/')
          .filter((s) => /^[A-Za-z]/.test(s))
          .at(-1) ?? '')
  return owner ? camel(singular(owner)) + key[0].toUpperCase() + key.slice(1) : key
}

function camel(text: string): string {
  const words = text.split(/[^A-Za-z0-9_]+/).filter(Boolean)
  const name = words.map((w, i) => (i ? w[0].toUpperCase() + w.slice(1) : w)).join('')
  return /^\d/.test(name) ? `value${name}` : name || 'value'
}

/** Returns the singular of a path segment or a key: `device` for `devices`. */
export function singular(word: string): string {
  if (/ies$/.test(word)) return word.slice(0, -3) + 'y'
  return word.replace(/(?<!s)s$/, '')
}

/** Returns the number of digits for line numbers up to this one. */
export function digitsOf(lines: number): number {
  return Math.max(4, String(Math.ceil(lines)).length)
}
