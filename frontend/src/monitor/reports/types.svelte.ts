import { SvelteMap } from 'svelte/reactivity'
import type { ItemOf, MonitorClient } from '../../client/monitor'
import { icons, type IconName } from '../../ui/icons'

export type ReportType = ItemOf<'/report/types'>

/** The types of reports, by their names in the API, in display order. */
export const types = new SvelteMap<string, ReportType>()

/** Loads the types once. If that fails, reports show the names of their types. */
export async function loadTypes(portal: MonitorClient): Promise<void> {
  if (types.size) return
  const list = await portal.list('/report/types').catch(() => undefined)
  for (const type of list?.items ?? []) types.set(type.name, type)
}

export function typeName(type: unknown): string {
  return types.get(String(type))?.title ?? String(type)
}

export function typeIcon(type: unknown): IconName | undefined {
  const icon = types.get(String(type))?.icon
  return icon === undefined ? undefined : icon in icons ? (icon as IconName) : 'report'
}

/** Whether a field of a report applies to the type. */
export function hasField(type: unknown, field: string): boolean {
  return types.get(String(type))?.fields.includes(field) ?? false
}
