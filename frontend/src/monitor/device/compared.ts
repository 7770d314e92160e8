/** With what the charts of a device are compared: the same data source on other devices, and other instances. */
import { text } from './text'

/** As it stands in the address: `5` for a device, `5.612` for one instance of its. */
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

/** Of another data source, what was chosen of its instances says nothing. */
export function otherSource(entries: readonly Entry[], own: number): Entry[] {
  return entries.filter((e) => e.device !== own).map(({ device }) => ({ device }))
}

export interface OneInstance {
  id: number
  name: string
  displayName: string
  deviceDataSourceId: number
}

/** A device as far as a comparison needs it. */
export interface Met {
  id: number
  displayName: string
  hostStatus: string
  /** Ids of the data sources on it. */
  sources: readonly number[]
}

/** What one entry comes to for a data source. */
export interface Other {
  entry: Entry
  /** What its line is called. */
  name: string
  /** The device, where that is another one. */
  on?: string
  /** Why it has no line: it is asked for, it has gone, or it has nothing of this data source. */
  lacks?: 'answer' | 'gone' | 'source'
  dead?: boolean
  instance?: OneInstance
  /** Where there is one to choose. */
  choices: readonly OneInstance[]
}

/**
 * Chooses of each device the instance that was asked for, else that with the
 * name of the own one, else its first. A device that is null is not there, or
 * not for one's role; what is missing is not known yet.
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
