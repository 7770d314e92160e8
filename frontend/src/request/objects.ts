/**
 * The objects that a {parameter} of a path may name. The list they are in is the
 * part of the template before the parameter, where the catalog has a GET list there.
 */
import type { Endpoint, Param, Schema } from '../client'
import type { Lookups } from './lookups'
import type { Offer, Option } from './suggest'
import { text as words } from './text'

/** Where the objects of a parameter are listed, and by which fields they are known. */
export interface ObjectList {
  /** What they are called: `Devices`. */
  label: string
  /** The list's template: `/device/devices/{deviceId}/devicedatasources`. */
  path: string
  /** The field that goes into the path. */
  key: string
  keyType: Schema['type']
  /** Fields with names, the best first. */
  names: string[]
  /** The names that `~` goes with. */
  searchable: string[]
  /** The field that says how it is, or ''. */
  status: string
  /** Whether the list takes filter, size and fields. */
  asks: boolean
}

type Item = Record<string, unknown>

const nameFields = [
  'displayName', 'name', 'username', 'hostname', 'dataSourceDisplayName', 'dataSourceName', 'groupName', 'dataPointName',
  'deviceDisplayName', 'monitorObjectName', 'title', 'comment', 'description', 'note', 'accessId', 'action', 'type',
]
const statusFields = ['hostStatus', 'alertStatus', 'status', 'severity', 'type', 'deviceDisplayName']

export function objectList(template: string, param: string, byId: (id: string) => Endpoint | undefined): ObjectList | undefined {
  const segments = template.split('/')
  const at = segments.indexOf(`{${param}}`)
  if (at < 1) return undefined
  const path = segments.slice(0, at).join('/')
  const list = byId(`GET ${path}`)
  const fields = itemFields(list)
  if (!list || !fields) return undefined
  const has = (name: string) => fields.find((f) => f.name === name)
  const key = has('id') ?? has(param) ?? fields.find((f) => /Id$/.test(f.name))
  if (!key) return undefined
  const query = new Map(list.params.filter((p) => p.in === 'query').map((p) => [p.name, p]))
  const names = nameFields.filter((n) => n !== key.name && has(n))
  const contains = new Set(operatorsOf(query.get('filter')).filter(([, ops]) => ops.includes('~')).map(([f]) => f))
  const last = segments[at - 1]
  return {
    label: last.charAt(0).toUpperCase() + last.slice(1), path, key: key.name, keyType: key.type,
    names: names.slice(0, 3), searchable: names.slice(0, 2).filter((n) => contains.has(n)),
    status: statusFields.find((f) => has(f) && !names.slice(0, 2).includes(f)) ?? '', asks: query.has('filter'),
  }
}

/** The fields of a list's items; undefined when the endpoint answers no list. */
export function itemFields(e: Endpoint | undefined): NonNullable<Schema['properties']> | undefined {
  return e?.answer?.properties?.find((p) => p.name === 'items')?.items?.properties
}

/** Each field of a filter with its operators. */
export function operatorsOf(filter: Param | undefined): [field: string, ops: string[]][] {
  return (filter?.operators ?? []).flatMap((o) => o.fields.map((f): [string, string[]] => [f, o.ops]))
}

/** A text as a value of a filter. */
export const quoted = (text: string) => `"${text.replace(/["\\*]/g, '\\$&')}"`

const shown = (value: unknown) => (value === undefined || value === null ? '' : String(value))
export const nameOf = (list: ObjectList, item: Item) => list.names.map((n) => shown(item[n])).find(Boolean) ?? ''

/** A value that is already in the path, as it stands there. */
export const segment = (value: string) => (value.includes('{{') ? value : encodeURIComponent(value))

/** Fills the parameters of a template; undefined when one has no value. */
export function filled(template: string, valueOf: (param: string) => string | undefined): string | undefined {
  let missing = false
  const path = template.replace(/\{\{[^{}]*\}\}|\{([^{}/]+)\}/g, (whole, name?: string) => {
    if (name === undefined) return whole
    const value = valueOf(name)?.trim()
    if (!value) missing = true
    return segment(value ?? '')
  })
  return missing ? undefined : path
}

/** Objects whose id or name goes with what was typed. */
export async function findObjects(lookups: Lookups, list: ObjectList, path: string, typed: string, signal: AbortSignal): Promise<Option[]> {
  const text = typed.trim()
  const fields = [list.key, ...list.names, list.status].filter((f, i, all) => f && all.indexOf(f) === i).join(',')
  const isId = list.keyType !== 'integer' || /^\d{1,18}$/.test(text)
  const terms = text === '' ? [] : list.searchable.map((n) => `${n}~${quoted(text)}`)
  if (text !== '' && isId) terms.unshift(list.keyType === 'integer' ? `${list.key}:${text}` : `${list.key}:${quoted(text)}`)
  const query = list.asks ? { size: '30', fields, ...(terms.length ? { filter: terms.join('||') } : {}) } : {}
  const answer = await lookups.ask<{ items?: Item[] }>(path, query as Record<string, string>, signal)
  const options = (answer.items ?? []).map((item) => ({
    label: shown(item[list.key]), insert: shown(item[list.key]), detail: nameOf(list, item), note: list.status ? shown(item[list.status]) : '',
  }))
  const lower = text.toLowerCase()
  const fits = (o: Option) => list.asks || `${o.label} ${o.detail ?? ''}`.toLowerCase().includes(lower)
  return options.filter(fits).sort((a, b) => Number(b.label === text) - Number(a.label === text))
}

/** The offer of a field that holds nothing but the id. */
export async function offerObjects(lookups: Lookups, list: ObjectList, path: string | undefined, text: string, signal: AbortSignal): Promise<Offer | undefined> {
  if (path === undefined) return { label: list.label, from: 0, to: text.length, options: [], problem: words.objects.theParameterBefore }
  const options = await findObjects(lookups, list, path, text, signal)
  return { label: list.label, from: 0, to: text.length, options, problem: options.length ? undefined : words.objects.nothingInGoes(path, text) }
}

/** What the object with that id is called; '' when there is none. */
export async function objectName(lookups: Lookups, list: ObjectList, path: string, id: string, signal: AbortSignal): Promise<string> {
  if (id.trim() === '' || (list.keyType === 'integer' && !id.includes('{{') && !/^\d{1,18}$/.test(id.trim()))) return ''
  const value = list.keyType === 'integer' ? id.trim() : id.includes('{{') ? id.trim() : quoted(id.trim())
  const query = list.asks ? { size: '1', fields: [list.key, ...list.names].join(','), filter: `${list.key}:${value}` } : undefined
  if (!query) return ''
  try {
    const [item] = (await lookups.ask<{ items?: Item[] }>(path, query, signal, 300)).items ?? []
    return item ? nameOf(list, item) : ''
  } catch {
    return '' // the name is a kindness; the id stands by itself
  }
}

/** The {parameter} of the template at the caret, and the segment of the path that stands for it. */
export function parameterAt(template: string, path: string, caret: number): { param: string; from: number; to: number } | undefined {
  if (path.slice(0, caret).includes('?')) return undefined
  const cut = path.indexOf('?')
  const end = cut < 0 ? path.length : cut
  const from = path.lastIndexOf('/', caret - 1) + 1
  const slash = path.indexOf('/', caret)
  const to = slash < 0 || slash > end ? end : slash
  const at = path.slice(0, from).split('/').length - 1
  const wanted = (path.startsWith('/') ? template : template.replace(/^\//, '')).split('/')[at]
  const name = /^\{([^{}]+)\}$/.exec(wanted ?? '')
  return name ? { param: name[1], from, to } : undefined
}

/** What stands in the path for each parameter of the template. */
export function valuesIn(template: string, path: string): Map<string, string> {
  const parts = path.split('?', 1)[0].replace(/^\/+/, '').split('/')
  const names = template.replace(/^\/+/, '').split('/')
  const values = new Map<string, string>()
  names.forEach((name, i) => {
    const param = /^\{([^{}]+)\}$/.exec(name)?.[1]
    if (param && parts[i] && parts[i] !== name) values.set(param, decoded(parts[i]))
  })
  return values
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
