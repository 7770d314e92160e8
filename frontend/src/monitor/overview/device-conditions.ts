import type { Sort } from '../honeycomb'

const filters: Record<Sort, string> = {
  critical: 'alertStatus~"-critical-"',
  error: 'alertStatus~"-error-"',
  warning: 'alertStatus~"-warn-"',
  'without an answer': 'alertStatus:"none",hostStatus!:"normal"',
  'without data yet': 'alertStatus:"none",hostStatus:"normal",lastDataTime:0',
  healthy: 'alertStatus:"none",hostStatus:"normal",lastDataTime>0',
}

/** The API's filter for the devices of a sort, as the portal counts them. */
export const deviceConditions = (sort: Sort) => filters[sort]

/** A filter takes no more values for one field. */
export const mostGroups = 80

/** The API's filter for devices in any of the groups. */
export function inGroups(ids: readonly number[]): string {
  return `hostGroupIds:${ids.map((id) => `"${id}"`).join('|')}`
}

/** The API's filter for the groups below a path. */
export function pathsBelow(fullPath: string): string {
  return `fullPath:"${fullPath.replace(/[\\"*]/g, '\\$&')}/*"`
}
