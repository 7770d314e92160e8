/** Converts the filters of the fleet to a query of the API. */
import type { ItemOf } from '../../client/monitor'
import { severities, severityOfDevice, type Severity } from '../severity'
import { text } from './text'

export const deviceFields =
  'id,name,displayName,hostStatus,alertStatus,hostGroupIds,preferredCollectorId,currentCollectorId,lastDataTime,disableAlerting,description'

/** A device in the table. */
export type Device = Pick<
  ItemOf<'/device/devices'>,
  | 'id'
  | 'name'
  | 'displayName'
  | 'hostStatus'
  | 'alertStatus'
  | 'hostGroupIds'
  | 'preferredCollectorId'
  | 'currentCollectorId'
  | 'lastDataTime'
  | 'disableAlerting'
  | 'description'
>

/** The state filters above the table. */
export const states = [
  { id: '', name: text.states.all, condition: '' },
  { id: 'crit', name: text.states.crit, condition: 'alertStatus~"critical"' },
  { id: 'error', name: text.states.error, condition: 'alertStatus~"error"' },
  { id: 'warn', name: text.states.warn, condition: 'alertStatus~"warn"' },
  { id: 'dead', name: text.states.dead, condition: 'hostStatus!:"normal"' },
  { id: 'muted', name: text.states.alertingOff, condition: 'disableAlerting:true' },
] as const

/** The field that orders devices by severity, which is the default order. */
export const bySeverity = 'alertStatusPriority'

/** Returns the sort of the API: devices of one severity are sorted by condition and name. */
export const sortOf = (sort: string) => (sort.endsWith(bySeverity) ? `${sort},hostStatus,displayName` : sort)

export interface Wanted {
  /** Ids of the selected group and its subgroups; empty for all devices. */
  groups: readonly number[]
  state: string
  search: string
}

/** Quotes a text for a filter of the API. */
export const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** Returns the API filter, '' for all devices. */
export function filterOf({ groups, state, search }: Wanted): string {
  const parts: string[] = []
  if (groups.length) parts.push(`hostGroupIds:${groups.map((id) => quoted(String(id))).join('|')}`)
  const chosen = states.find((s) => s.id === state)?.condition
  if (chosen) parts.push(chosen)
  for (const word of search.trim().split(/\s+/).filter(Boolean)) parts.push(`_all~${quoted(word)}`)
  return parts.join(',')
}

/**
 * Returns the condition of a device in one word. One that does not respond says so, with the color of its worst alert.
 */
export function conditionOf(d: Pick<Device, 'hostStatus' | 'alertStatus' | 'lastDataTime'>): Severity {
  const severity = severityOfDevice(d)
  if (d.hostStatus === 'normal') return severity
  const word = d.hostStatus === 'dead-collector' ? text.host.noCollector : text.host.dead
  return { ...(severity.number ? severity : severities[0]), word }
}

/** Parses ids such as `5,7`. */
export function idsOf(text: string | undefined): number[] {
  return (text ?? '')
    .split(',')
    .map(Number)
    .filter((id) => id > 0)
}

export const acked = (alertStatus: string | undefined) => (alertStatus ?? '').startsWith('confirmed-')
export const inMaintenance = (alertStatus: string | undefined) => (alertStatus ?? '').endsWith('-sdt')
