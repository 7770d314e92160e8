/** {{variables}} in text: where they stand, and what they hold. */
import type { Variable } from '../client'
import type { Offer } from './suggest'

export interface Part {
  text: string
  /** The variable's name, when the part is one. */
  variable?: string
}

/** The text in pieces, variables apart. */
export function parts(text: string): Part[] {
  const out: Part[] = []
  let from = 0
  for (const m of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    if (m.index > from) out.push({ text: text.slice(from, m.index) })
    out.push({ text: m[0], variable: m[1].trim() })
    from = m.index + m[0].length
  }
  if (from < text.length) out.push({ text: text.slice(from) })
  return out
}

export function hasVariable(text: string): boolean {
  return /\{\{[^{}]*\}\}/.test(text)
}

const builtIns = [
  { name: '$now', doc: 'now, in epoch seconds' },
  { name: '$now-1h', doc: 'an hour ago; also s, m, d and w, and + for later' },
  { name: '$uuid', doc: 'a random id' },
  { name: '$userId', doc: 'the id of who is signed in' },
]

/** Names that Go fills in by itself: {{$now}}, {{$now-1h}}, {{$uuid}}, {{$userId}}. */
export function isBuiltIn(name: string): boolean {
  return /^\$(?:now(?:[+-]\d{1,9}[smhdw])?|uuid|userId)$/.test(name)
}

/** What a variable holds and where it comes from, in words. */
export interface Meaning {
  name: string
  state: 'known' | 'unknown' | 'secret'
  value: string
  /** `portal variable`, `not set`. */
  source: string
}

export function meaningOf(name: string, find: (name: string) => Variable | undefined): Meaning {
  const v = find(name)
  if (v?.secret) return { name, state: 'secret', value: '••••••', source: `secret ${v.scope} variable, in the system's keyring` }
  if (v) return { name, state: 'known', value: v.value, source: `${v.scope} variable` }
  if (isBuiltIn(name)) return { name, state: 'known', value: '', source: 'built in, filled in when sent' }
  return { name, state: 'unknown', value: '', source: 'not set: add it under Variables' }
}

/** The variable that the caret stands in or at. */
export function variableAt(text: string, caret: number): string | undefined {
  for (const m of text.matchAll(/\{\{([^{}]*)\}\}/g))
    if (caret >= m.index && caret <= m.index + m[0].length) return m[1].trim()
  return undefined
}

/** Names of variables and built-ins, when the caret stands behind an open {{. */
export function offerVariables(text: string, caret: number, variables: readonly Variable[]): Offer | undefined {
  const open = /\{\{\s*([^{}]*)$/.exec(text.slice(0, caret))
  if (!open) return undefined
  const rest = /^[^{}\s"]*\}{0,2}/.exec(text.slice(caret))?.[0] ?? ''
  if (rest.endsWith('}}') && isBuiltIn(open[1].trim())) return undefined
  const names = new Set<string>()
  const own = variables.filter((v) => !names.has(v.name) && names.add(v.name))
  const options = [
    ...own.map((v) => ({ label: v.name, insert: `{{${v.name}}}`, detail: v.secret ? '••••••' : v.value, note: v.secret ? 'secret' : v.scope })),
    ...builtIns.map((b) => ({ label: b.name, insert: `{{${b.name}}}`, detail: b.doc, note: 'built in' })),
  ]
  const typed = open[1].toLowerCase()
  return {
    label: 'Variables', from: open.index, to: caret + (rest.endsWith('}') ? rest.length : 0),
    options: options.filter((o) => o.label.toLowerCase().includes(typed)),
  }
}
