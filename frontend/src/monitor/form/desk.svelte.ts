import { untrack } from 'svelte'
import type { App } from '../../state/app.svelte'
import { Editing } from './editing.svelte'
import type { Values } from './fields'

/** An object that can be opened in a form. */
export interface Place {
  path: string
  id?: number | string
  single?: boolean
  blank?: Values
  /** Fields whose input is never stored. */
  secrets: string[]
  /** Reads and writes the object if the form uses another shape than the API. */
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

/** Whether an object has unsaved input. */
export function isEdited(app: App, path: string, id?: number | string): boolean {
  return app.settings.values.edits?.[keyOf(app, { path, id })] !== undefined
}

/** Returns the number of objects below a path with unsaved edits. */
export function editedBelow(app: App, path: string): number {
  const mine = keyOf(app, { path, single: true })
  return Object.keys(app.settings.values.edits ?? {}).filter(
    (key) => key === mine || new RegExp(`^${mine.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/[^/]+$`).test(key),
  ).length
}
