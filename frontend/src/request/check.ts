/** Checks a JSON body against the endpoint's schema. */
import type { Property, Schema } from '../client'
import { shown } from '../state/request/form'
import type { Node } from '../state/request/json'
import { text as words } from './text'

export interface Finding {
  from: number
  to: number
  severity: 'error' | 'warning' | 'info'
  message: string
}

const most = 200

/** `whole`: required fields must be present (POST, PUT); a PATCH has only changes. */
export function check(text: string, root: Node, schema: Schema, whole: boolean): Finding[] {
  const found: Finding[] = []
  const add = (n: { start: number; end: number }, severity: Finding['severity'], message: string) => {
    if (found.length < most) found.push({ from: n.start, to: n.end, severity, message })
  }

  function value(node: Node, s: Schema, name: string) {
    if (node.kind === 'variable' || s.type === 'any') return
    const problem = wrongType(text, node, s)
    if (problem) return add(node, 'error', `${name || words.check.theBody} ${problem}`)
    if (node.kind === 'object') object(node, s, name)
    else if (node.kind === 'array' && s.items)
      for (const [i, m] of node.members.entries()) value(m.value, s.items, `${name}[${i}]`)
    else if (node.kind === 'string' || node.kind === 'number') limits(node, s, name)
  }

  function object(node: Node, s: Schema, name: string) {
    const known = s.properties
    if (!known?.length) return
    const seen = new Set<string>()
    for (const m of node.members) {
      const key = m.key ?? ''
      const place = { start: m.start, end: m.keyEnd }
      const p = known.find((k) => k.name === key)
      if (seen.has(key)) add(place, 'warning', words.check.duplicateKey(key))
      seen.add(key)
      if (!p) add(place, 'error', words.check.noField(key, hintFor(key, known)))
      else if (p.readOnly) add(place, 'info', words.check.setByPortal(key))
      else value(m.value, p, key)
    }
    const missing = known.filter((k) => k.required && !k.readOnly && !seen.has(k.name)).map((k) => k.name)
    if (missing.length && (whole || name !== ''))
      add({ start: node.start, end: node.start + 1 }, 'error', words.check.required(missing, name))
  }

  function limits(node: Node, s: Schema, name: string) {
    const now = shown(text, node)
    if (now.includes('{{')) return
    if (s.enum?.length && !s.enum.some((v) => String(v) === now))
      return add(node, 'error', words.check.isOneOf(name, s.enum.map(String).join(', ')))
    if (node.kind === 'string' && s.maxLength && now.length > s.maxLength)
      add(node, 'error', words.check.tooLong(name, now.length, s.maxLength))
    if (node.kind !== 'number') return
    if (s.minimum !== undefined && Number(now) < s.minimum) add(node, 'error', words.check.isAtLeast(name, s.minimum))
    else if (s.maximum !== undefined && Number(now) > s.maximum)
      add(node, 'error', words.check.isAtMost(name, s.maximum))
  }

  value(root, schema, '')
  return found
}

const kinds: Record<Schema['type'], string> = {
  object: words.check.anObject,
  array: words.check.aList,
  string: words.check.aText,
  integer: words.check.aWholeNumber,
  number: words.check.aNumber,
  boolean: words.check.trueOrFalse,
  any: '',
}

/** Returns `needs a whole number, not a text`; '' if the type is right. */
function wrongType(text: string, node: Node, s: Schema): string {
  const fits =
    s.type === 'integer'
      ? node.kind === 'number' && /^-?\d+$/.test(text.slice(node.start, node.end))
      : s.type === 'number'
        ? node.kind === 'number'
        : node.kind === s.type
  if (fits) return ''
  const is = {
    object: words.check.anObject,
    array: words.check.aList,
    string: words.check.aText,
    number: words.check.aNumber,
    boolean: words.check.trueOrFalse,
    null: 'null',
    variable: '',
  }[node.kind]
  return words.check
    .needsNot(
      kinds[s.type],
      is === kinds[s.type] || (s.type === 'integer' && node.kind === 'number') ? text.slice(node.start, node.end) : is,
    )
    .replace(/^ /, '')
}

function hintFor(key: string, known: Property[]): string {
  const near = known
    .filter((k) => !k.readOnly)
    .map((k) => ({ name: k.name, d: distance(key.toLowerCase(), k.name.toLowerCase()) }))
    .sort((a, b) => a.d - b.d)[0]
  return near && near.d <= Math.max(1, Math.floor(key.length / 3)) ? words.check.didYouMean(near.name) : ''
}

/** Returns the edit distance of two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]
}
