import type { Endpoint } from '../client'
import type { KeptSettings } from './settings.svelte'

/** The settings that store them, and the selected portal. */
interface Home {
  settings: Pick<KeptSettings, 'values' | 'save'>
  portals: { readonly place: { readonly id: number } }
}

const most = 8

/** Returns the ids of the endpoints used last at a portal, by default the selected one; newest first. */
export function recentsOf({ settings, portals }: Home, portal = portals.place.id): string[] {
  return (portal ? settings.values.recentsAt?.[portal] : settings.values.recents) ?? []
}

/** Records that an endpoint was selected or used. */
export function used(app: Home, endpoint: Endpoint, portal = app.portals.place.id) {
  const before = recentsOf(app, portal)
  if (before[0] === endpoint.id) return
  const recents = [endpoint.id, ...before.filter((id) => id !== endpoint.id)].slice(0, most)
  app.settings.save(portal ? { recentsAt: { ...app.settings.values.recentsAt, [portal]: recents } } : { recents })
}
