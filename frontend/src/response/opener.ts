import type { DraftData, Endpoint } from '../client'
import { draftOf } from '../request/draft.svelte'

/** The request that opens what an id names, and what that is called. */
export interface Opener {
  noun: string
  draft: DraftData
}

/**
 * What a cell's id opens. `id` in a list opens its item; `deviceId` anywhere
 * opens a device, if the catalog has a GET for one.
 */
export function openerFor(key: string, value: string, from: { endpoint: Endpoint | undefined; data: DraftData }, endpoints: Endpoint[]): Opener | undefined {
  if (!/^[\w-]+$/.test(value) || value === '0') return undefined
  const reads = endpoints.filter((e) => e.method === 'GET' && /\/\{[^{}/]+\}$/.test(e.path))
  if (key === 'id') return from.endpoint && itemOf(from.endpoint, value, from.data, reads)
  const noun = /^(\w+)Id$/.exec(key)?.[1].toLowerCase()
  if (!noun) return undefined
  const area = from.endpoint?.path.split('/')[1]
  const best = reads
    .filter((e) => (e.path.match(/\{/g) ?? []).length === 1)
    .map((e) => ({ e, score: fitness(noun, e.path.split('/').filter(Boolean), area) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)[0]?.e
  return best && { noun: nounOf(best), draft: filled(draftOf(best), value) }
}

/** How well the noun of `currentCollectorId` names what a path reads; 0 for not at all. */
function fitness(noun: string, parts: string[], area: string | undefined): number {
  const thing = singular(parts.at(-2) ?? '')
  const longer = singular(parts.at(-3) ?? '') + thing
  const near = parts[0] === area ? 1 : 0
  if (noun === longer) return 8
  if (noun === thing) return 6 + near - parts.length / 10
  return noun.endsWith(thing) && thing.length > 4 ? 2 + near - parts.length / 10 : 0
}

function itemOf(list: Endpoint, value: string, data: DraftData, reads: Endpoint[]): Opener | undefined {
  const item = reads.find((e) => e.path.slice(0, e.path.lastIndexOf('/')) === list.path)
  if (!item) return undefined
  const draft = filled(draftOf(item), value)
  const name = item.path.slice(item.path.lastIndexOf('/'))
  const given = data.pathParams.map((p) => ({ ...p }))
  draft.path = data.path.split('?')[0].replace(/\/+$/, '') + name
  draft.pathParams = [...given, draft.pathParams[draft.pathParams.length - 1]]
  return { noun: nounOf(item), draft }
}

function filled(draft: DraftData, value: string): DraftData {
  const rows = draft.pathParams
  return { ...draft, pathParams: rows.map((p, i) => (i === rows.length - 1 ? { ...p, value } : p)) }
}

function nounOf(e: Endpoint): string {
  return singular(e.path.split('/').at(-2) ?? 'item')
}

function singular(word: string): string {
  return word.toLowerCase().replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}
