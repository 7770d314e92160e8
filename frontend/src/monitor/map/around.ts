/** Requests the surroundings of the selected device, and marks them on the map. */
import type { MonitorClient } from '../../client/monitor'
import type { Fleet } from './fleet'
import type { Instance } from './paint'
import type { Thing } from './view'

export type Around = Awaited<ReturnType<typeof loadAround>>

export const loadAround = (portal: MonitorClient, id: string, to: string, signal?: AbortSignal) =>
  portal.get('/device/topology/devices/{id}', { params: { id }, query: { to }, signal })

/** Requests the instances of devices, by device. */
export async function loadInstances(
  portal: MonitorClient,
  ids: number[],
  signal?: AbortSignal,
): Promise<Map<number, Instance[]>> {
  const found = new Map<number, Instance[]>(ids.map((id) => [id, []]))
  if (!ids.length) return found
  const { items } = await portal.get('/device/topology/instances', { query: { deviceIds: ids.join() }, signal })
  for (const one of items) found.get(one.deviceId)?.push(one)
  return found
}

/** Returns the devices to highlight: the device, its dependencies and its dependents, or the devices on the path. */
export function litOf(fleet: Fleet, around: Around): Set<number> {
  const ids = around.path.length
    ? around.path.filter((s) => s.kind === 'device').map((s) => s.id)
    : [around.deviceId, ...around.dependsOn.map((d) => d.deviceId), ...around.dependentIds]
  return new Set(ids.map((id) => fleet.places.get(id)).filter((place) => place !== undefined))
}

/** Returns the things on the path; undefined if there is none, or the map has changed since. */
export function pathOf(fleet: Fleet, around: Around): Thing[] | undefined {
  const things = around.path.map((s): Thing | undefined => {
    if (s.kind === 'group') return s.index < fleet.boxes.length ? { box: s.index } : undefined
    const device = fleet.places.get(s.id)
    return device === undefined ? undefined : { device }
  })
  return things.length && things.every((t) => t !== undefined) ? things : undefined
}
