import { untrack } from 'svelte'
import type { App } from '../../state/app.svelte'
import { Editing } from './editing.svelte'
import type { Values } from './fields'

/** What can be opened in a form. */
export interface Place {
  path: string
  id?: number | string
  single?: boolean
  blank?: Values
  /** Names of fields that are never kept. */
  secrets: string[]
  /** How it is read and written, where the form has it in another shape than the API. */
  rest?: ConstructorParameters<typeof Editing>[0]['rest']
}

const desks = new WeakMap<App, Map<string, Editing>>()

const keyOf = (app: App, place: Pick<Place, 'path' | 'id' | 'single'>) =>
  `${app.portal.id} ${place.path}${place.single ? '' : `/${place.id ?? 'new'}`}`

/** Returns the form of an object, with stored edits of this or an earlier run. */
export function editing(app: App, place: Place): Editing {
  const open = desks.get(app) ?? new Map<string, Editing>()
  desks.set(app, open)
  const key = keyOf(app, place)
  const there = open.get(key)
  if (there) return there
  const made = new Editing({
    ...place,
    rest: place.rest ?? app.client.rest,
    kept: untrack(() => app.settings.values.edits?.[key]),
    keep: (kept) => {
      const { [key]: _, ...others } = app.settings.values.edits ?? {}
      const plain = (values: Values) =>
        Object.fromEntries(Object.entries(values).filter(([name]) => !place.secrets.includes(name)))
      const safe = kept && { etag: kept.etag, edits: plain(kept.edits), was: plain(kept.was) }
      const edits = safe && Object.keys(safe.edits).length ? { ...others, [key]: safe } : others
      app.settings.save({ edits: Object.keys(edits).length ? edits : null })
      if (!kept) open.delete(key)
      else open.set(key, made)
    },
  })
  open.set(key, made)
  return made
}

/** Whether something is typed and not saved. */
export function isEdited(app: App, path: string, id?: number | string): boolean {
  return app.settings.values.edits?.[keyOf(app, { path, id })] !== undefined
}

/** How many objects below a path have edits that are not saved. */
export function editedBelow(app: App, path: string): number {
  const mine = keyOf(app, { path, single: true })
  return Object.keys(app.settings.values.edits ?? {}).filter(
    (key) => key === mine || new RegExp(`^${mine.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/[^/]+$`).test(key),
  ).length
}
