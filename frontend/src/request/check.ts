/** What in a JSON body does not go with the endpoint's schema. */
import type { Property, Schema } from '../client'
import { shown } from './form'
import type { Node } from './json'

export interface Finding {
  from: number
  to: number
  severity: 'error' | 'warning' | 'info'
  message: string
}

const most = 200

/** `whole`: required fields must be there (POST, PUT); a PATCH gives what changes. */
export function check(text: string, root: Node, schema: Schema, whole: boolean): Finding[] {
  const found: Finding[] = []
  const add = (n: { start: number; end: number }, severity: Finding['severity'], message: string) => {
    if (found.length < most) found.push({ from: n.start, to: n.end, severity, message })
  }

  function value(node: Node, s: Schema, name: string) {
    if (node.kind === 'variable' || s.type === 'any') return
    const problem = wrongType(text, node, s)
    if (problem) return add(node, 'error', `${name || 'the body'} ${problem}`)
    if (node.kind === 'object') object(node, s, name)
    else if (node.kind === 'array' && s.items) for (const [i, m] of node.members.entries()) value(m.value, s.items, `${name}[${i}]`)
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
      if (seen.has(key)) add(place, 'warning', `“${key}” is there twice; the portal refuses that`)
      seen.add(key)
      if (!p) add(place, 'error', `no field “${key}”${hintFor(key, known)}`)
      else if (p.readOnly) add(place, 'info', `${key} is set by the portal; what is given is ignored`)
      else value(m.value, p, key)
    }
    const missing = known.filter((k) => k.required && !k.readOnly && !seen.has(k.name)).map((k) => k.name)
    if (missing.length && (whole || name !== '')) add({ start: node.start, end: node.start + 1 }, 'error', `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} required${name ? ` in ${name}` : ''}`)
  }

  function limits(node: Node, s: Schema, name: string) {
    const now = shown(text, node)
    if (now.includes('{{')) return
    if (s.enum?.length && !s.enum.some((v) => String(v) === now)) return add(node, 'error', `${name} is one of ${s.enum.map(String).join(', ')}`)
    if (node.kind === 'string' && s.maxLength && now.length > s.maxLength) add(node, 'error', `${name} has ${now.length} characters, at most ${s.maxLength}`)
    if (node.kind !== 'number') return
    if (s.minimum !== undefined && Number(now) < s.minimum) add(node, 'error', `${name} is at least ${s.minimum}`)
    else if (s.maximum !== undefined && Number(now) > s.maximum) add(node, 'error', `${name} is at most ${s.maximum}`)
  }

  value(root, schema, '')
  return found
}

const kinds: Record<Schema['type'], string> = { object: 'an object', array: 'a list', string: 'a text', integer: 'a whole number', number: 'a number', boolean: 'true or false', any: '' }

/** `needs a whole number, not a text`; '' when the type is right. */
function wrongType(text: string, node: Node, s: Schema): string {
  const fits =
    s.type === 'integer' ? node.kind === 'number' && /^-?\d+$/.test(text.slice(node.start, node.end))
    : s.type === 'number' ? node.kind === 'number'
    : node.kind === s.type
  if (fits) return ''
  const is = { object: 'an object', array: 'a list', string: 'a text', number: 'a number', boolean: 'true or false', null: 'null', variable: '' }[node.kind]
  return `needs ${kinds[s.type]}, not ${is === kinds[s.type] || s.type === 'integer' && node.kind === 'number' ? text.slice(node.start, node.end) : is}`.replace(/^ /, '')
}

function hintFor(key: string, known: Property[]): string {
  const near = known.filter((k) => !k.readOnly).map((k) => ({ name: k.name, d: distance(key.toLowerCase(), k.name.toLowerCase()) })).sort((a, b) => a.d - b.d)[0]
  return near && near.d <= Math.max(1, Math.floor(key.length / 3)) ? `; did you mean ${near.name}?` : ''
}

/** Letters to change, add or take away. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]
}
