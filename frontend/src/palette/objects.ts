import { openInExplorer } from '../monitor/explore'
import { placeOf } from '../monitor/shown'
import { listObjects, namesOf, objectList, type Item, type ObjectList } from '../state/request/objects'
import type { IconName } from '../ui/icons'
import type { App } from '../state/app.svelte'
import type { Entry, Level } from './entries'
import { waitFor } from './targets'

/** A kind of objects that can be searched by name. */
export interface ObjectKind {
  group: string
  path: string
  icon: IconName
  by?: string[]
  /** The field with its condition. */
  status?: string
}

/** The levels, the most severe first, and the severities or alertStatus values of each. */
const levels: [Level, RegExp][] = [
  ['crit', /^4$|-critical-/],
  ['error', /^3$|-error-/],
  ['warn', /^2$|-warn-/],
  ['ok', /^/],
]
const rankOf = (value: unknown) => levels.findIndex(([, pattern]) => pattern.test(String(value)))

/** Looks up the objects of a kind by name, the worst first where they have a condition. */
export async function objectsOf(app: App, { path, icon, by, status }: ObjectKind, query: string, signal: AbortSignal) {
  await app.catalog.settled
  const found = objectList(`${path}/{id}`, 'id', (id) => app.catalog.byId(id))
  if (!found) return []
  const list = { ...found, ...(by && { names: by, searchable: by }), ...(status && { status }) }
  const items = await listObjects(app.lookups, list, path, query, signal, waitFor(app))
  if (!status) return items.map((item) => entry(app, list, item, icon))
  return items
    .sort((a, b) => rankOf(a[status]) - rankOf(b[status]))
    .map((item) => ({ ...entry(app, list, item, icon), level: levels[rankOf(item[status])][0] }))
}

/**
 * Opens the object in the Monitor; in a new tab, or if the Monitor does not show it, opens the
 * request that reads it.
 */
function entry(app: App, list: ObjectList, item: Item, icon: IconName): Entry {
  const id = String(item[list.key])
  const [name = id, ...more] = namesOf(list, item)
  const template = `${list.path}/{id}`
  const read = () => void openInExplorer(app, { method: 'GET', path: template, params: { id } })
  const spot = app.portal.remote ? undefined : placeOf(template, id)
  return {
    id: `${list.path}/${id}`,
    text: name,
    hint: more.join(' · '),
    words: id,
    key: '',
    icon,
    run: spot ? () => app.navigation.watch(spot.screen, spot.id, spot.filters) : read,
    runInTab: read,
  }
}
