/** Which devices the fleet shows: what is chosen, as a query of the API. */
import type { ItemOf } from '../../client/monitor'

export const deviceFields = 'id,name,displayName,hostStatus,alertStatus,hostGroupIds,preferredCollectorId,currentCollectorId,lastDataTime,disableAlerting,description'

/** A device as the table has it. */
export type Device = Pick<ItemOf<'/device/devices'>, 'id' | 'name' | 'displayName' | 'hostStatus' | 'alertStatus' | 'hostGroupIds' | 'preferredCollectorId' | 'currentCollectorId' | 'lastDataTime' | 'disableAlerting' | 'description'>

/** Quick choices above the table. */
export const states = [
  { id: '', name: 'All', condition: '' },
  { id: 'crit', name: 'Critical', condition: 'alertStatus~"critical"' },
  { id: 'error', name: 'Error', condition: 'alertStatus~"error"' },
  { id: 'warn', name: 'Warning', condition: 'alertStatus~"warn"' },
  { id: 'dead', name: 'Not answering', condition: 'hostStatus!:"normal"' },
  { id: 'muted', name: 'Alerting off', condition: 'disableAlerting:true' },
] as const

export interface Wanted {
  /** Ids of the chosen group and those below it; none for all devices. */
  groups: readonly number[]
  state: string
  search: string
}

/** Quoted for a filter of the API. */
export const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** The filter of the API for what is wanted, '' for everything. */
export function filterOf({ groups, state, search }: Wanted): string {
  const parts: string[] = []
  if (groups.length) parts.push(`hostGroupIds:${groups.map((id) => quoted(String(id))).join('|')}`)
  const chosen = states.find((s) => s.id === state)?.condition
  if (chosen) parts.push(chosen)
  for (const word of search.trim().split(/\s+/).filter(Boolean)) parts.push(`_all~${quoted(word)}`)
  return parts.join(',')
}

/** What hostStatus says, in words. */
export function hostWord(hostStatus: string | undefined): string {
  if (hostStatus === 'dead') return 'Not answering'
  if (hostStatus === 'dead-collector') return 'Collector down'
  return 'OK'
}

/** The ids in `5,7`. */
export function idsOf(text: string | undefined): number[] {
  return (text ?? '').split(',').map(Number).filter((id) => id > 0)
}

export const acked = (alertStatus: string | undefined) => (alertStatus ?? '').startsWith('confirmed-')
export const inMaintenance = (alertStatus: string | undefined) => (alertStatus ?? '').endsWith('-sdt')
