import type { DraftData, Endpoint } from '../../client'
import { draftOf } from '../request/draft.svelte'
import { itemFields } from '../request/objects'
import { singular } from './tokens'

/** The request that opens the object of an id, with the object's name. */
export interface Opener {
  noun: string
  /** The template of the endpoint that reads it. */
  template: string
  draft: DraftData
}

/** The request of a response. */
export interface SentRequest {
  endpoint: Endpoint | undefined
  data: DraftData
}

/** Other words for the objects of ids. */
const also: Record<string, string> = { monitorobject: 'device', host: 'device' }

/** The endpoints of a catalog that read one object, cached, because each shown id needs them. */
const reading = new WeakMap<Endpoint[], Endpoint[]>()

function readsOf(endpoints: Endpoint[]): Endpoint[] {
  let reads = reading.get(endpoints)
  if (!reads)
    reading.set(endpoints, (reads = endpoints.filter((e) => e.method === 'GET' && /\/\{[^{}/]+\}$/.test(e.path))))
  return reads
}

/**
 * Returns the request that a value opens. `own` is set for a key of the returned object itself, or
 * of an item of the list; only then `id` is that of the object. `deviceId` anywhere opens a device,
 * if the catalog has a GET for one.
 */
export function openerFor(
  key: string,
  value: string,
  own: boolean,
  from: SentRequest,
  endpoints: Endpoint[],
): Opener | undefined {
  if (!/^\w[\w-]*$/.test(value) || value === '0') return undefined
  const reads = readsOf(endpoints)
  if (key === 'id') return own && from.endpoint ? itself(from.endpoint, value, from.data, reads) : undefined
  const noun = /^(\w+)Ids?$/.exec(key)?.[1].toLowerCase()
  if (!noun) return undefined
  const area = from.endpoint?.path.split('/')[1]
  const best = reads
    .filter((e) => parameters(e) === 1)
    .map((e) => ({ e, score: fitness(also[noun] ?? noun, e.path.split('/').filter(Boolean), area) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)[0]?.e
  return best && openerOf(best, value)
}

const parameters = (e: Endpoint) => (e.path.match(/\{/g) ?? []).length
const openerOf = (e: Endpoint, value: string): Opener => ({
  noun: e.noun,
  template: e.path,
  draft: filled(draftOf(e), value),
})

/**
 * Returns how well the noun of `currentCollectorId` matches the object that a path reads; 0 for not
 * at all.
 */
function fitness(noun: string, parts: string[], area: string | undefined): number {
  const thing = singular((parts.at(-2) ?? '').toLowerCase())
  const longer = singular((parts.at(-3) ?? '').toLowerCase()) + thing
  const near = parts[0] === area ? 1 : 0
  if (noun === longer) return 8
  if (noun === thing) return 6 + near - parts.length / 10
  return noun.endsWith(thing) && thing.length > 4 ? 2 + near - parts.length / 10 : 0
}

/** Returns the request that the id of a returned object, or of a list item, opens. */
function itself(of: Endpoint, value: string, data: DraftData, reads: Endpoint[]): Opener | undefined {
  if (of.path.endsWith('}')) {
    const item = reads.find((e) => e.path === of.path)
    return item && beside(item, value, data.path.split('?')[0].replace(/\/[^/]*$/, ''), data.pathParams.slice(0, -1))
  }
  const item = reads.find((e) => e.path.slice(0, e.path.lastIndexOf('/')) === of.path)
  if (item) return beside(item, value, data.path.split('?')[0].replace(/\/+$/, ''), data.pathParams)
  const kin = reads.find(
    (e) => parameters(e) === 1 && e.path.split('/').at(-2) === of.path.split('/').at(-1) && alike(of, e),
  )
  return kin && openerOf(kin, value)
}

/** Reports whether a list's items have the schema of the endpoint's response. */
function alike(list: Endpoint, item: Endpoint): boolean {
  const names = (fields: { name: string }[] | undefined) => fields?.map((f) => f.name).join() ?? ''
  return names(itemFields(list)) !== '' && names(itemFields(list)) === names(item.answer?.properties)
}

function beside(item: Endpoint, value: string, path: string, given: DraftData['pathParams']): Opener {
  const { draft, ...opener } = openerOf(item, value)
  draft.path = path + item.path.slice(item.path.lastIndexOf('/'))
  draft.pathParams = [...given.map((p) => ({ ...p })), draft.pathParams[draft.pathParams.length - 1]]
  return { ...opener, draft }
}

function filled(draft: DraftData, value: string): DraftData {
  const rows = draft.pathParams
  return { ...draft, pathParams: rows.map((p, i) => (i === rows.length - 1 ? { ...p, value } : p)) }
}
