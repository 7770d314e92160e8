import type { MonitorClient } from '../../client/monitor'

/** The property that names the device behind which another one lies. */
const parentProperty = 'parent.device'
const most = 1000

/** The devices that do not answer, by the device behind which they lie. */
export async function silentBehind(portal: MonitorClient, signal: AbortSignal): Promise<Map<string, string[]>> {
  const { items } = await portal.list('/device/devices', { query: { filter: 'hostStatus!:"normal"', fields: 'displayName,customProperties,inheritedProperties', size: most }, signal })
  return byParent(items)
}

interface Silent {
  displayName: string
  customProperties: readonly { name: string; value: string }[]
  inheritedProperties?: readonly { name: string; value: string }[]
}

/** A device's own property counts before what it inherits; nobody is behind itself. */
export function byParent(devices: readonly Silent[]): Map<string, string[]> {
  const all = new Map<string, string[]>()
  for (const d of devices) {
    const parent = [...d.customProperties, ...(d.inheritedProperties ?? [])].find((p) => p.name === parentProperty)?.value
    if (parent && parent !== d.displayName) all.set(parent, [...(all.get(parent) ?? []), d.displayName])
  }
  return all
}
