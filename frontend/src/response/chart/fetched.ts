/** Thresholds of several instances whose data is asked for by their ids: the answer names neither their devices nor their thresholds. */
import type { Client, Listing } from '../../client'
import { quoted } from '../../request/objects'
import { lookUpLimits, placeByGraph, together, type Limit } from './limits'

type Door = Pick<Client, 'lookup' | 'windows' | 'filter'>

/** More lines than these nobody tells apart; each costs three questions. */
const most = 10

export const isFetched = (url: string) => /\/device\/instances\/datafetch(?:[?#]|$)/.test(url)

/** A graph of each one's data source tells its device. */
export async function lookUpFetchedLimits(door: Door, document: string, signal: AbortSignal): Promise<Limit[]> {
  const texts = async (key: string) => (await door.filter(document, `$.items[*].${key}`, signal)).rows.flatMap((r) => (r.kind === 'string' ? [r.text ?? ''] : []))
  const [ids, sources] = await Promise.all([texts('instanceId'), texts('dataSourceName')])
  const instances = ids.slice(0, most).flatMap((id, i) => (sources[i] ? [{ id, source: sources[i] }] : []))
  if (!instances.length) return []
  const names = [...new Set(instances.map((i) => i.source))]
  const { items } = await door.lookup<Listing<{ name: string; graphs: { id: number }[] }>>('/setting/datasources', { filter: `name:${names.map(quoted).join('|')}`, fields: 'name,graphs', size: '1000' }, signal)
  const graphs = new Map(items.map((s) => [s.name, s.graphs[0]?.id]))
  const each = await Promise.all(instances.map(async ({ id, source }) => {
    const graph = graphs.get(source)
    const place = graph && (await placeByGraph(door, id, String(graph), signal))
    return place ? (await lookUpLimits(door, place, signal)).map((limit) => ({ ...limit, of: id })) : []
  }))
  return together(each.flat(), ids.length)
}
