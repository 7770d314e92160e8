/** What the sorts of cells are called of one device, the worst first. */
export const conditions = ['critical', 'error', 'warning', 'without an answer', 'healthy'] as const

/** The API's filter for the devices of a sort, as the portal counts them. */
export function deviceConditions(sort: number): string {
  const worst = ['critical', 'error', 'warn'][sort]
  if (worst) return `alertStatus~"-${worst}-"`
  return `alertStatus:"none",hostStatus${conditions[sort] === 'healthy' ? ':' : '!:'}"normal"`
}

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
