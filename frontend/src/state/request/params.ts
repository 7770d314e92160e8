/** Selects the editor for a value from its catalog schema. */
import type { Endpoint, Param, Schema } from '../../client'
import { unitOf, type Unit, relative } from './moments'
import { itemFields } from './objects'
import { choices, listed, type Option, type Suggest } from './suggest'
import { text as words } from './text'

export interface Editor {
  suggest?: Suggest
  /** Show suggestions on a click, because there are few. */
  eager?: boolean
  unit?: Unit
  /** Shown as a switch beside the text. */
  boolean?: boolean
  number?: { min?: number; max?: number; whole: boolean }
}

type Value = Pick<Param, 'type' | 'format' | 'enum' | 'minimum' | 'maximum' | 'doc'> | Schema

/** Returns the editor for a value by its type. */
export function editorOf(v: Value | undefined): Editor {
  if (!v) return {}
  const unit = unitOf(v.format)
  if (unit) return { unit, suggest: choices(words.params.moments, relative(unit)) }
  if (v.enum?.length) {
    const options = v.enum.map((x) => ({ label: String(x), insert: String(x) }))
    const several = v.type === 'string' && /comma/i.test(v.doc ?? '')
    return {
      suggest: several ? listed(words.params.values, options, true) : choices(words.params.values, options),
      eager: true,
    }
  }
  if (v.type === 'boolean') return { boolean: true }
  if (v.type === 'integer' || v.type === 'number')
    return { number: { min: v.minimum, max: v.maximum, whole: v.type === 'integer' } }
  return {}
}

/**
 * Returns the editor of a query parameter: `fields` and `sort` suggest the fields of the response.
 */
export function editorOfParam(p: Param | undefined, e: Endpoint | undefined): Editor {
  if (p?.name === 'fields' || p?.name === 'sort') {
    const fields = itemFields(e) ?? e?.answer?.properties ?? []
    if (fields.length === 0) return {}
    const options: Option[] = fields.map((f) => ({ label: f.name, insert: f.name, detail: f.doc ?? '' }))
    if (p.name === 'fields') return { suggest: listed(words.params.fields, options, true), eager: true }
    const sortable = fields.filter((f) => f.type !== 'array' && f.type !== 'object')
    return {
      suggest: listed(
        words.params.sortBy,
        sortable.flatMap((f) => [
          { label: f.name, insert: `+${f.name}`, detail: words.params.ascending },
          { label: f.name, insert: `-${f.name}`, detail: words.params.descending },
        ]),
        false,
      ),
      eager: true,
    }
  }
  return editorOf(p)
}

/** Returns why the text is invalid for the editor; '' if it is valid, empty or a {{variable}}. */
export function complaint(editor: Editor, text: string): string {
  const n = editor.number
  if (!n || text.trim() === '' || text.includes('{{')) return ''
  if (!/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()))
    return n.whole ? words.params.aWholeNumber : words.params.aNumberIs
  if (n.whole && !/^[+-]?\d+$/.test(text.trim())) return words.params.aWholeNumber
  if (n.min !== undefined && Number(text) < n.min) return words.params.atLeast(n.min)
  if (n.max !== undefined && Number(text) > n.max) return words.params.atMost(n.max)
  return ''
}

/** Returns the number one step up or down within the limits; undefined if the text is not a whole number. */
export function stepped(editor: Editor, text: string, by: 1 | -1): string | undefined {
  const n = editor.number
  if (!n || (text.trim() !== '' && !/^-?\d{1,15}$/.test(text.trim()))) return undefined
  const next = text.trim() === '' ? (n.min ?? 0) : Number(text) + by
  if ((n.min !== undefined && next < n.min) || (n.max !== undefined && next > n.max)) return undefined
  return String(next)
}

const types = ['application/json', '*/*'].map((v) => ({ label: v, insert: v }))
const as = (value: string): Option => ({ label: value.trim(), insert: value })
const headerValues: Record<string, { doc: string; values: Option[] }> = {
  Accept: { doc: words.params.acceptedTypes, values: [...types, as('text/csv')] },
  'Accept-Language': { doc: words.params.preferredLanguage, values: [as('en'), as('de')] },
  Authorization: { doc: words.params.insteadOfSession, values: [as('Bearer '), as('LMv1 ')] },
  'Cache-Control': { doc: '', values: [as('no-cache')] },
  'Content-Type': { doc: words.params.bodyType, values: types.slice(0, 1) },
  'If-Match': { doc: words.params.ifMatches, values: [{ label: '*', insert: '*' }] },
  'If-None-Match': { doc: words.params.ifDiffers, values: [{ label: '*', insert: '*' }] },
  'X-CSRF-Token': { doc: words.params.fetchesToken, values: [as('Fetch')] },
  'X-Version': { doc: words.params.apiVersion, values: [{ label: '3', insert: '3' }] },
}

/** Suggests names of common headers. */
export const headerNames: Suggest = choices(
  words.params.headers,
  Object.entries(headerValues).map(([name, { doc }]) => ({ label: name, insert: name, detail: doc })),
)

export function headerEditor(name: string): Editor {
  const known = Object.entries(headerValues).find(([n]) => n.toLowerCase() === name.trim().toLowerCase())
  return known ? { suggest: choices(words.params.values, known[1].values) } : {}
}
