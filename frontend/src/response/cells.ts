import type { Cell } from '../client/table'
import { localTime } from './epoch'

/** Returns the keys of a column's id, from the item down. */
export function columnKeys(id: string): string[] {
  const keys = ['']
  for (let i = 0; i < id.length; i++) {
    if (id[i] === '\\' && i + 1 < id.length) keys[keys.length - 1] += id[++i]
    else if (id[i] === '.') keys.push('')
    else keys[keys.length - 1] += id[i]
  }
  return keys
}

/** Returns the heading of a column; an item that is not an object is `value`. */
export function columnName(id: string): string {
  return id === '$' ? 'value' : columnKeys(id).join('.') || '""'
}

/**
 * Returns a column's key if it belongs to the item itself, so that a portal can sort and filter by
 * it; otherwise ''.
 */
export function ownKey(id: string): string {
  const keys = columnKeys(id)
  return keys.length === 1 && id !== '$' ? keys[0] : ''
}

const severities: Record<string, string> = { 2: 'warn', 3: 'error', 4: 'critical' }

/**
 * Returns the meaning of a cell's value: the local time of an epoch, the word of a severity; '' for
 * none.
 */
export function hintOf(key: string, cell: Cell): string {
  if (cell.kind !== 'number') return ''
  if (/^severity$/i.test(key)) return severities[cell.text] ?? ''
  return localTime(key, cell.text)
}

/** Returns the width that a column needs for its name and the loaded cells. */
export function widthFor(name: string, texts: string[]): number {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), 0)
  return Math.round(Math.max(72, Math.min(320, Math.max(name.length * 7 + 48, longest * 7.4 + 26))))
}

/** Returns a filter condition for a field: text quoted, numbers and words unquoted. */
export function condition(field: string, op: string, value: string, kind: Cell['kind'] | ''): string {
  const bare =
    (kind === 'number' && /^-?\d+(\.\d+)?$/.test(value)) || (kind === 'boolean' && /^(true|false)$/.test(value))
  return `${field}${op}${bare ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`}`
}

/** Adds a condition to each alternative of a filter. */
export function withCondition(filter: string, more: string): string {
  if (!filter.trim()) return more
  return alternatives(filter)
    .map((part) => (part.includes(more) ? part : `${part},${more}`))
    .join('||')
}

/** Splits a filter at || outside of quotes. */
function alternatives(filter: string): string[] {
  const parts = ['']
  let quoted = false
  for (let i = 0; i < filter.length; i++) {
    const c = filter[i]
    if (quoted && c === '\\') {
      parts[parts.length - 1] += c + (filter[++i] ?? '')
      continue
    }
    if (c === '"') quoted = !quoted
    if (!quoted && c === '|' && filter[i + 1] === '|') {
      parts.push('')
      i++
    } else parts[parts.length - 1] += c
  }
  return parts.map((p) => p.trim())
}
