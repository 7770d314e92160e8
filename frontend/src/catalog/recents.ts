import type { App } from '../app.svelte'
import type { Endpoint } from '../client'

const most = 8

/** The ids of the endpoints used last at a portal, the one that is shown unless told; the last one first. */
export function recentsOf({ settings, portals }: App, portal = portals.place.id): string[] {
  return (portal ? settings.recentsAt?.[portal] : settings.recents) ?? []
}

/** An endpoint was chosen, or something is sent to it. */
export function used(app: App, endpoint: Endpoint, portal = app.portals.place.id) {
  const before = recentsOf(app, portal)
  if (before[0] === endpoint.id) return
  const recents = [endpoint.id, ...before.filter((id) => id !== endpoint.id)].slice(0, most)
  app.save(portal ? { recentsAt: { ...app.settings.recentsAt, [portal]: recents } } : { recents })
}
