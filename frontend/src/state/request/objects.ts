/**
 * Finds the objects that a {parameter} of a path may name. They are in the list at the part of the
 * template before the parameter, if the catalog has a GET for that list.
 */
import type { Endpoint, Param, Schema } from '../../client'
import type { Lookups } from './lookups'
import type { Offer, Option } from './suggest'
import { text as words } from './text'

/** The list with the objects of a parameter, and the fields with their names. */
export interface ObjectList {
  /** The plural of their name: `Devices`. */
  label: string
  /** The list's template: `/device/devices/{deviceId}/devicedatasources`. */
  path: string
  /** The field used in the path. */
  key: string
  keyType: Schema['type']
  /** Whether filters compare the key as a number, even if it is a text such as R_12. */
  numbered: boolean
  /** Fields with names, the best first. */
  names: string[]
  /** The fields that support `~`. */
  searchable: string[]
  /** The field with its status, or ''. */
  status: string
  /** Whether the list supports filter, size and fields. */
  filterable: boolean
}

export type Item = Record<string, unknown>

const nameFields = [
  'displayName',
  'name',
  'username',
  'hostname',
  'dataSourceDisplayName',
  'dataSourceName',
  'groupName',
  'dataPointName',
  'deviceDisplayName',
  'monitorObjectName',
  'title',
  'comment',
  'description',
  'note',
  'accessId',
  'action',
  'type',
]
const statusFields = ['hostStatus', 'alertStatus', 'status', 'severity', 'type', 'deviceDisplayName']

export function objectList(
  template: string,
  param: string,
  byId: (id: string) => Endpoint | undefined,
): ObjectList | undefined {
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
  const operators = operatorsOf(query.get('filter'))
  const taking = (op: string) => new Set(operators.filter(([, ops]) => ops.includes(op)).map(([f]) => f))
  const contains = taking('~')
  const last = segments[at - 1]
  return {
    label: last.charAt(0).toUpperCase() + last.slice(1),
    path,
    key: key.name,
    keyType: key.type,
    numbered: key.type === 'integer' || taking('>').has(key.name),
    names: names.slice(0, 3),
    searchable: names.slice(0, 2).filter((n) => contains.has(n)),
    status: statusFields.find((f) => has(f) && !names.slice(0, 2).includes(f)) ?? '',
    filterable: query.has('filter'),
  }
}

/** Returns the fields of a list's items; undefined if the endpoint returns no list. */
export function itemFields(e: Endpoint | undefined): NonNullable<Schema['properties']> | undefined {
  return e?.answer?.properties?.find((p) => p.name === 'items')?.items?.properties
}

/** Returns each field of a filter with its operators. */
export function operatorsOf(filter: Param | undefined): [field: string, ops: string[]][] {
  return (filter?.operators ?? []).flatMap((o) => o.fields.map((f): [string, string[]] => [f, o.ops]))
}

/** Quotes a text as a value of a filter. */
export const quoted = (text: string) => `"${text.replace(/["\\*]/g, '\\$&')}"`

const shown = (value: unknown) => (value === undefined || value === null ? '' : String(value))
/** Returns the names of an item, the best first, without duplicates. */
export const namesOf = (list: ObjectList, item: Item) => [
  ...new Set(list.names.map((n) => shown(item[n])).filter(Boolean)),
]
export const nameOf = (list: ObjectList, item: Item) => namesOf(list, item)[0] ?? ''

/** Returns a value as a path segment. */
export const segment = (value: string) => (value.includes('{{') ? value : encodeURIComponent(value))

/** Returns the number of an id, 12 for R_12 if ids are texts; undefined if there is none. */
export function numberOf({ keyType, numbered }: ObjectList, id: string): number | undefined {
  const [, digits] = (keyType === 'integer' ? /^(\d{1,15})$/ : /^(?:[A-Z]{1,3}_?)?(\d{1,15})$/).exec(id) ?? []
  return numbered && digits ? Number(digits) : undefined
}

/** Returns the filter that finds the object with an id; undefined for an invalid id. */
function withId(list: ObjectList, id: string): string | undefined {
  if (id === '') return undefined
  const value = id.includes('{{') ? id : list.numbered ? numberOf(list, id) : quoted(id)
  return value === undefined ? undefined : `${list.key}:${value}`
}

/** Fills in the parameters of a template; returns undefined if one has no value. */
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

const mostTerms = 100 // of a filter
export const mostListed = 30

/** Returns the filters that match each word in any name; with too many words, the whole text. */
function withWords(names: string[], text: string): string[] {
  const words = text.split(/\s+/).filter(Boolean)
  if (!words.length || !names.length) return []
  const few = names.length ** words.length * words.length < mostTerms ? words : [text]
  return few.reduce<string[]>(
    (all, word) => names.flatMap((n) => (all.length ? all : ['']).map((t) => `${t && `${t},`}${n}~${quoted(word)}`)),
    [],
  )
}

/**
 * Returns the first objects with the typed id, or with all typed words in their names. `wait` is in
 * ms, as for lookups.
 */
export async function listObjects(
  lookups: Lookups,
  list: ObjectList,
  path: string,
  typed: string,
  signal: AbortSignal,
  wait?: number,
): Promise<Item[]> {
  const text = typed.trim()
  const fields = [list.key, ...list.names, list.status].filter((f, i, all) => f && all.indexOf(f) === i).join(',')
  const terms = [withId(list, text), ...withWords(list.searchable, text)].filter((t) => t !== undefined)
  const query = list.filterable
    ? { size: String(mostListed), fields, ...(terms.length ? { filter: terms.join('||') } : {}) }
    : {}
  return (await lookups.get<{ items?: Item[] }>(path, query as Record<string, string>, signal, wait)).items ?? []
}

/** Returns the objects as options, the one with exactly that id first. */
export async function findObjects(
  lookups: Lookups,
  list: ObjectList,
  path: string,
  typed: string,
  signal: AbortSignal,
): Promise<Option[]> {
  const text = typed.trim()
  const options = (await listObjects(lookups, list, path, text, signal)).map((item) => ({
    label: shown(item[list.key]),
    insert: shown(item[list.key]),
    detail: nameOf(list, item),
    note: list.status ? shown(item[list.status]) : '',
  }))
  const lower = text.toLowerCase()
  const fits = (o: Option) => list.filterable || `${o.label} ${o.detail ?? ''}`.toLowerCase().includes(lower)
  return options.filter(fits).sort((a, b) => Number(b.label === text) - Number(a.label === text))
}

/** Returns suggestions for a field with only an id. */
export async function offerObjects(
  lookups: Lookups,
  list: ObjectList,
  path: string | undefined,
  text: string,
  signal: AbortSignal,
): Promise<Offer | undefined> {
  if (path === undefined)
    return { label: list.label, from: 0, to: text.length, options: [], problem: words.objects.theParameterBefore }
  const options = await findObjects(lookups, list, path, text, signal)
  return {
    label: list.label,
    from: 0,
    to: text.length,
    options,
    problem: options.length ? undefined : words.objects.nothingInGoes(path, text),
  }
}

/** Returns the name of the object with that id; '' if there is none. */
export async function objectName(
  lookups: Lookups,
  list: ObjectList,
  path: string,
  id: string,
  signal: AbortSignal,
): Promise<string> {
  const filter = withId(list, id.trim())
  if (!filter || !list.filterable) return ''
  const query = { size: '1', fields: [list.key, ...list.names].join(','), filter }
  try {
    const [item] = (await lookups.get<{ items?: Item[] }>(path, query, signal, 300)).items ?? []
    return item ? nameOf(list, item) : ''
  } catch {
    return '' // the name is optional
  }
}

/** Returns the {parameter} of the template at the caret, and its segment of the path. */
export function parameterAt(
  template: string,
  path: string,
  caret: number,
): { param: string; from: number; to: number } | undefined {
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

/** Returns the value in the path for each parameter of the template. */
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
