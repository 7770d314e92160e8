import type { MonitorClient } from '../../client/monitor'

/** The property with the device that another one depends on. */
const parentProperty = 'parent.device'
const most = 1000

/** Returns the devices that do not respond, by the device that they depend on. */
export async function silentBehind(portal: MonitorClient, signal: AbortSignal): Promise<Map<string, Silent[]>> {
  const { items } = await portal.list('/device/devices', {
    query: {
      filter: 'hostStatus:"dead"|"dead-collector"',
      fields: 'id,displayName,customProperties,inheritedProperties',
      size: most,
    },
    signal,
  })
  return byParent(items)
}

export interface Silent {
  id: number
  displayName: string
}

interface Found extends Silent {
  customProperties: readonly { name: string; value: string }[]
  inheritedProperties?: readonly { name: string; value: string }[]
}

/** A device's own property overrides an inherited one; no device depends on itself. */
export function byParent(devices: readonly Found[]): Map<string, Silent[]> {
  const all = new Map<string, Silent[]>()
  for (const { id, displayName, customProperties, inheritedProperties = [] } of devices) {
    const parent = [...customProperties, ...inheritedProperties].find((p) => p.name === parentProperty)?.value
    if (parent && parent !== displayName) all.set(parent, [...(all.get(parent) ?? []), { id, displayName }])
  }
  return all
}
