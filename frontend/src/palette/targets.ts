import type { App } from '../state/app.svelte'
import { listObjects, mostListed, namesOf, objectList, type Item } from '../state/request/objects'

/** A device, a group or a report that the typed text names. */
export interface Target {
  id: number
  name: string
  /** Its other names. */
  more: string
  item: Item
}

/** The built-in portal responds at once; others are requested after a pause in typing. */
export const waitFor = (app: App) => (app.portal.remote ? undefined : 0)

/** The lists for lookups of names, with the fields of the names if they are not the usual ones. */
const lists = {
  device: { path: '/device/devices', names: undefined },
  group: { path: '/device/groups', names: ['name', 'fullPath'] },
  report: { path: '/report/reports', names: undefined },
} as const

/** More could match: only the first ones are known. */
export const isCut = (targets: readonly Target[]) => targets.length >= mostListed

/** Looks up the objects whose names contain all words, exact matches first. */
export async function targetsOf(
  app: App,
  kind: keyof typeof lists,
  words: string,
  signal: AbortSignal,
): Promise<Target[]> {
  await app.catalog.settled
  const { path, names } = lists[kind]
  const known = objectList(`${path}/{id}`, 'id', (id) => app.catalog.byId(id))
  if (!known || !words.trim()) return []
  const list = names ? { ...known, names: [...names], searchable: [...names] } : known
  const items = await listObjects(app.lookups, list, path, words, signal, waitFor(app))
  const exact = (t: Target) => Number([t.name, t.more].some((n) => n.toLowerCase() === words.trim().toLowerCase()))
  return items
    .map((item): Target => {
      const [name = String(item[list.key]), ...more] = namesOf(list, item)
      return { id: Number(item[list.key]), name, more: more.join(' · '), item }
    })
    .sort((a, b) => exact(b) - exact(a))
}

/** Requests one page of a list. */
export async function listed<T>(
  app: App,
  path: string,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<{ total: number; items: T[] }> {
  return app.lookups.get<{ total: number; items: T[] }>(path, query, signal, waitFor(app))
}
