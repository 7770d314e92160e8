import type { Client, MonitorSpot } from '../client'
import type { Opener } from '../state/response/opener'
import { sections } from './settings/sections'

/** The places in the Monitor view, by the template of the endpoint that reads the object. */
const places: Record<string, (id: string) => MonitorSpot> = {
  '/device/devices/{id}': (id) => ({ screen: 'fleet', id }),
  '/device/groups/{id}': (group) => ({ screen: 'fleet', filters: { group } }),
  '/alert/alerts/{id}': (id) => ({ screen: 'alerts', id }),
  '/setting/datasources/{id}': (id) => ({ screen: 'datasources', id }),
  '/report/reports/{id}': (row) => ({ screen: 'reports', filters: { row } }),
  ...Object.fromEntries(
    sections.map((s) => [
      `${s.path}/{id}`,
      (row: string): MonitorSpot => ({ screen: 'settings', id: s.id, filters: { row } }),
    ]),
  ),
}

/** Returns the place of an object in the Monitor view; undefined if it has none. */
export function shownAt({ template, draft }: Opener): MonitorSpot | undefined {
  const values = draft.pathParams.map((p) => p.value)
  if (template === '/device/devices/{deviceId}/devicedatasources/{id}' && /^\d+$/.test(values[0]))
    return { screen: 'fleet', id: values[0], filters: { source: values[1] } }
  return placeOf(template, values.at(-1) ?? '')
}

/** Returns the place of the object with that id, by the template of the endpoint that reads it. */
export function placeOf(template: string, id: string): MonitorSpot | undefined {
  return places[template]?.(id)
}

/**
 * Returns the place of a maintenance window in the Monitor view: that of its device, group or collector, which is read
 * from the portal.
 */
export async function whereSdt(door: Pick<Client, 'lookup'>, id: string): Promise<MonitorSpot> {
  const sdt = await door.lookup<{ deviceId: number; deviceGroupId: number; collectorId: number }>(`/sdt/sdts/${id}`, {
    fields: 'deviceId,deviceGroupId,collectorId',
  })
  if (sdt.deviceId) return { screen: 'fleet', id: String(sdt.deviceId), filters: { tab: 'history', sdt: id } }
  if (sdt.collectorId) return { screen: 'settings', id: 'collectors', filters: { row: String(sdt.collectorId) } }
  return { screen: 'fleet', filters: { group: String(sdt.deviceGroupId) } }
}
