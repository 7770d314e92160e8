import type { Sort } from '../honeycomb'

const filters: Record<Sort, string> = {
  critical: 'alertStatus~"-critical-"',
  error: 'alertStatus~"-error-"',
  warning: 'alertStatus~"-warn-"',
  'not responding': 'alertStatus:"none",hostStatus!:"normal"',
  'without data': 'alertStatus:"none",hostStatus:"normal",lastDataTime:0',
  healthy: 'alertStatus:"none",hostStatus:"normal",lastDataTime>0',
}

/** Returns the API's filter for the devices of a kind, counted in the same way as by the portal. */
export const deviceConditions = (sort: Sort) => filters[sort]

/** Maximum values for one field of a filter. */
export const mostGroups = 80

/** Returns the API's filter for devices in any of the groups. */
export function inGroups(ids: readonly number[]): string {
  return `hostGroupIds:${ids.map((id) => `"${id}"`).join('|')}`
}

/** Returns the API's filter for the groups below a path. */
export function pathsBelow(fullPath: string): string {
  return `fullPath:"${fullPath.replace(/[\\"*]/g, '\\$&')}/*"`
}
