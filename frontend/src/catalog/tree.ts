import type { Endpoint } from '../client'
import type { Catalog, Hit } from '../state/catalog/catalog.svelte'
import { lastSegments } from '../ui/segments'
import { text } from './text'

/** One visible line of the catalog. */
export type Item =
  | { kind: 'category'; key: string; name: string; count: number; open: boolean; level: 1; ruled: boolean }
  | { kind: 'endpoint'; key: string; endpoint: Endpoint; level: number; short?: boolean; hit?: Hit }

/**
 * Returns the lines to show: favourites and recents first, then the categories, expanded ones with
 * their endpoints.
 */
export function branches(
  catalog: Pick<Catalog, 'categories' | 'byId'>,
  expanded: Set<string>,
  favourites: string[],
  recents: string[],
): Item[] {
  const items: Item[] = []
  const own = (name: string, ids: string[]) => {
    const endpoints = ids.map((id) => catalog.byId(id)).filter((e) => e !== undefined)
    if (endpoints.length === 0) return
    // Favorites and recents are expanded by default, so the setting has those that are collapsed.
    const open = !expanded.has(`-${name}`)
    items.push({ kind: 'category', key: `-${name}`, name, count: endpoints.length, open, level: 1, ruled: false })
    if (open)
      items.push(
        ...endpoints.map((endpoint): Item => ({
          kind: 'endpoint',
          key: `${name} ${endpoint.id}`,
          endpoint,
          level: 2,
          short: true,
        })),
      )
  }
  own(text.tree.favourites, favourites)
  own(text.tree.recent, recents.filter((id) => !favourites.includes(id)).slice(0, 5))
  catalog.categories.forEach((c, i) => {
    const open = expanded.has(c.name)
    items.push({
      kind: 'category',
      key: c.name,
      name: c.name,
      count: c.endpoints.length,
      open,
      level: 1,
      ruled: i === 0 && items.length > 0,
    })
    if (open)
      items.push(...c.endpoints.map((endpoint): Item => ({ kind: 'endpoint', key: endpoint.id, endpoint, level: 2 })))
  })
  return items
}

/**
 * Splits a path for a narrow list into the part that it shares with its neighbours, and the part
 * that differs. If only `room` characters fit, it returns only the last segments.
 */
export function shortPath(path: string, room = Infinity): { head: string; tail: string } {
  const { head, tail } = split(path)
  if (head.length + tail.length <= room) return { head, tail }
  const left = lastSegments(path, room)
  const at = Math.max(left.indexOf('/'), left.length - tail.length)
  return { head: left.slice(0, at), tail: left.slice(at) }
}

/**
 * Returns the end of a path that is listed without a summary. If another one has the same end, an earlier
 * segment distinguishes them: `devices/…/alerts`.
 */
export function endAmong(path: string, others: readonly string[], room = Infinity): string {
  const end = lastSegments(path, room)
  const twin = others.find((o) => o !== path && lastSegments(o, room) === end)
  if (!twin) return end
  const [own, its] = [path, twin].map((p) => p.split('/').reverse())
  const at = own.findIndex((segment, i) => segment !== its[i])
  return at > 0 && own[at] ? `${own[at]}/${at > 1 ? '…/' : ''}${own[0]}` : end
}

function split(path: string): { head: string; tail: string } {
  const parts = path.split('/')
  const at = parts.findIndex((p) => p.startsWith('{'))
  if (at > 0 && at < parts.length - 1) return { head: '…', tail: `/${parts.slice(at).join('/')}` }
  if (parts.length > 3) return { head: parts.slice(0, 3).join('/'), tail: `/${parts.slice(3).join('/')}` }
  return { head: '', tail: path }
}
