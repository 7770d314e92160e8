/** Which editor goes with a value, from what the catalog says of it. */
import type { Endpoint, Param, Schema } from '../client'
import { unitOf, type Unit, relative } from './moments'
import { itemFields } from './objects'
import { choices, listed, type Option, type Suggest } from './suggest'
import { number } from '../ui/locale'

export interface Editor {
  suggest?: Suggest
  /** Offer on a click: there are few. */
  eager?: boolean
  unit?: Unit
  /** Shown as a switch beside the text. */
  boolean?: boolean
  number?: { min?: number; max?: number; whole: boolean }
}

type Value = Pick<Param, 'type' | 'format' | 'enum' | 'minimum' | 'maximum' | 'doc'> | Schema

/** The editor of a value by its type. */
export function editorOf(v: Value | undefined): Editor {
  if (!v) return {}
  const unit = unitOf(v.format)
  if (unit) return { unit, suggest: choices('Moments', relative(unit)) }
  if (v.enum?.length) {
    const options = v.enum.map((x) => ({ label: String(x), insert: String(x) }))
    const several = v.type === 'string' && /comma/i.test(v.doc ?? '')
    return { suggest: several ? listed('Values', options, true) : choices('Values', options), eager: true }
  }
  if (v.type === 'boolean') return { boolean: true }
  if (v.type === 'integer' || v.type === 'number') return { number: { min: v.minimum, max: v.maximum, whole: v.type === 'integer' } }
  return {}
}

/** The editor of a query parameter of an endpoint: `fields` and `sort` know the answer's fields. */
export function editorOfParam(p: Param | undefined, e: Endpoint | undefined): Editor {
  if (p?.name === 'fields' || p?.name === 'sort') {
    const fields = itemFields(e) ?? e?.answer?.properties ?? []
    if (fields.length === 0) return {}
    const options: Option[] = fields.map((f) => ({ label: f.name, insert: f.name, detail: f.doc ?? '' }))
    if (p.name === 'fields') return { suggest: listed('Fields', options, true), eager: true }
    const sortable = fields.filter((f) => f.type !== 'array' && f.type !== 'object')
    return {
      suggest: listed('Sort by', sortable.flatMap((f) => [
        { label: f.name, insert: `+${f.name}`, detail: 'ascending' }, { label: f.name, insert: `-${f.name}`, detail: 'descending' },
      ]), false),
      eager: true,
    }
  }
  return editorOf(p)
}

/** Why the text is no value of the editor's kind; '' when it is one, empty or a {{variable}}. */
export function complaint(editor: Editor, text: string): string {
  const n = editor.number
  if (!n || text.trim() === '' || text.includes('{{')) return ''
  if (!/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return n.whole ? 'a whole number is wanted' : 'a number is wanted'
  if (n.whole && !/^[+-]?\d+$/.test(text.trim())) return 'a whole number is wanted'
  if (n.min !== undefined && Number(text) < n.min) return `at least ${number(n.min)}`
  if (n.max !== undefined && Number(text) > n.max) return `at most ${number(n.max)}`
  return ''
}

/** One step up or down within the limits; undefined when the text is no whole number. */
export function stepped(editor: Editor, text: string, by: 1 | -1): string | undefined {
  const n = editor.number
  if (!n || (text.trim() !== '' && !/^-?\d{1,15}$/.test(text.trim()))) return undefined
  const next = text.trim() === '' ? (n.min ?? 0) : Number(text) + by
  if ((n.min !== undefined && next < n.min) || (n.max !== undefined && next > n.max)) return undefined
  return String(next)
}

const types = ['application/json', '*/*'].map((v) => ({ label: v, insert: v }))
const headerValues: Record<string, { doc: string; values: Option[] }> = {
  'Accept': { doc: 'what the answer may be', values: [...types, { label: 'text/csv', insert: 'text/csv' }] },
  'Accept-Language': { doc: 'the language wanted', values: [{ label: 'en', insert: 'en' }, { label: 'de', insert: 'de' }] },
  'Authorization': { doc: 'instead of the session', values: [{ label: 'Bearer', insert: 'Bearer ' }, { label: 'LMv1', insert: 'LMv1 ' }] },
  'Cache-Control': { doc: '', values: [{ label: 'no-cache', insert: 'no-cache' }] },
  'Content-Type': { doc: 'what the body is', values: types.slice(0, 1) },
  'If-Match': { doc: 'write only if it is still this ETag', values: [{ label: '*', insert: '*' }] },
  'If-None-Match': { doc: 'answer only if it is another ETag', values: [{ label: '*', insert: '*' }] },
  'X-CSRF-Token': { doc: 'Fetch answers the token', values: [{ label: 'Fetch', insert: 'Fetch' }] },
  'X-Version': { doc: 'the version of the API', values: [{ label: '3', insert: '3' }] },
}

/** Names of usual headers. */
export const headerNames: Suggest = choices('Headers', Object.entries(headerValues).map(([name, { doc }]) => ({ label: name, insert: name, detail: doc })))

export function headerEditor(name: string): Editor {
  const known = Object.entries(headerValues).find(([n]) => n.toLowerCase() === name.trim().toLowerCase())
  return known ? { suggest: choices('Values', known[1].values) } : {}
}
