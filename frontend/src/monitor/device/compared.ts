/**
 * The objects that the charts of a device are compared with: the same data source on other devices,
 * and other instances.
 */
import { text } from './text'

/** An object in the address: `5` for a device, `5.612` for one of its instances. */
export interface Entry {
  device: number
  instance?: number
}

/** Lines in one chart. */
export const most = 8

export function entriesOf(list: string): Entry[] {
  const found = new Map<string, Entry>()
  for (const [, device, instance] of list.matchAll(/(\d+)(?:\.(\d+))?/g)) {
    const entry = { device: Number(device), ...(instance && { instance: Number(instance) }) }
    if (entry.device) found.set(keyOf(entry), entry)
  }
  return [...found.values()].slice(0, most - 1)
}

export const keyOf = (e: Entry) => (e.instance ? `${e.device}.${e.instance}` : String(e.device))
export const listOf = (entries: readonly Entry[]) => entries.map(keyOf).join()

/** Returns the entries for another data source, for which the selected instances do not apply. */
export function otherSource(entries: readonly Entry[], own: number): Entry[] {
  return entries.filter((e) => e.device !== own).map(({ device }) => ({ device }))
}

export interface OneInstance {
  id: number
  name: string
  displayName: string
  deviceDataSourceId: number
}

/** The fields of a device that a comparison needs. */
export interface Met {
  id: number
  displayName: string
  hostStatus: string
  /** The ids of its data sources. */
  sources: readonly number[]
}

/** The line of one entry for a data source. */
export interface Other {
  entry: Entry
  /** The name of its line. */
  name: string
  /** The device, if it is another one. */
  on?: string
  /** Why it has no line: it is loading, it no longer exists, or it lacks this data source. */
  lacks?: 'answer' | 'gone' | 'source'
  dead?: boolean
  instance?: OneInstance
  /** The instances to choose from, if there are several. */
  choices: readonly OneInstance[]
}

/**
 * Selects an instance of each device: the requested one, or else the one with the same name, or
 * else the first. A device that is null does not exist or is not visible to the user; a missing one
 * has not loaded yet.
 */
export function othersOf(
  entries: readonly Entry[],
  devices: ReadonlyMap<number, Met | null>,
  instances: ReadonlyMap<number, readonly OneInstance[]>,
  own: { device: number; dataSource: number; instance: OneInstance },
): Other[] {
  return entries.flatMap((entry): Other[] => {
    const there = instances.get(entry.device)
    if (entry.device === own.device) {
      if (!entry.instance || entry.instance === own.instance.id) return []
      const instance = there?.find((i) => i.id === entry.instance)
      return [
        instance
          ? { entry, name: instance.displayName, instance, choices: [] }
          : { entry, name: text.charts.with.instance(entry.instance), lacks: 'gone', choices: [] },
      ]
    }
    const device = devices.get(entry.device)
    if (!device)
      return [
        { entry, name: text.charts.with.device(entry.device), lacks: device === null ? 'gone' : 'answer', choices: [] },
      ]
    const { displayName: on, hostStatus, sources } = device
    const common = { entry, on, dead: hostStatus !== 'normal' }
    const instance =
      there?.find((i) => i.id === entry.instance) ??
      there?.find((i) => i.name === own.instance.name) ??
      there?.find((i) => i.displayName === own.instance.displayName) ??
      there?.[0]
    if (!instance)
      return [
        { ...common, name: on, lacks: there || !sources.includes(own.dataSource) ? 'source' : 'answer', choices: [] },
      ]
    const several = there!.length > 1
    return [
      {
        ...common,
        name:
          several && instance.displayName !== own.instance.displayName
            ? text.charts.with.part(on, instance.displayName)
            : on,
        instance,
        choices: several ? there! : [],
      },
    ]
  })
}
