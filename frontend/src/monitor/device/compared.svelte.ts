import { useApp } from '../../state/app.svelte'
import { requested } from '../requested.svelte'
import { entriesOf, listOf, othersOf, type Entry, type Met, type OneInstance, type Other } from './compared'

/** The data source and instance that the page of a device shows. */
export interface Own {
  /** 0 while none is selected. */
  dataSource: number
  instance?: OneInstance
  instances: readonly OneInstance[]
}

/**
 * The objects to compare a device with, from the address and the portal. Call it during component
 * initialization.
 */
export function comparing(device: () => number, own: () => Own) {
  const app = useApp()
  const list = $derived(app.monitor.filter('with'))
  const entries = $derived(entriesOf(list))
  const ids = $derived([...new Set(entries.map((e) => e.device))].filter((id) => id !== device()).join('|'))

  const met = requested(['device', 'deviceDatasource'], async (portal, signal): Promise<[number, Met | null][]> => {
    const filter = ids
    if (!filter) return []
    const { items } = await portal.list('/device/devices', {
      query: { filter: `id:${filter}`, fields: 'id,displayName,hostStatus' },
      signal,
    })
    return Promise.all(
      filter.split('|').map(async (id): Promise<[number, Met | null]> => {
        const one = items.find((d) => d.id === Number(id))
        if (!one) return [Number(id), null]
        const { items: on } = await portal.list('/device/devices/{deviceId}/devicedatasources', {
          params: { deviceId: id },
          query: { size: 1000, fields: 'id,dataSourceId' },
          signal,
        })
        return [one.id, { ...one, sources: on.map((s) => s.dataSourceId) }]
      }),
    )
  })
  const known = $derived(new Map(met.value))

  const found = requested(['deviceDatasourceInstance'], async (portal, signal) => {
    const { dataSource } = own()
    const having = [...known.values()].filter((d) => d?.sources.includes(dataSource)) as Met[]
    const each = await Promise.all(
      having.map(async (d): Promise<[number, readonly OneInstance[]]> => {
        const { items } = await portal.list('/device/devices/{id}/instances', {
          params: { id: d.id },
          query: {
            filter: `dataSourceId:${dataSource}`,
            sort: 'displayName',
            size: 1000,
            fields: 'id,name,displayName,deviceDataSourceId',
          },
          signal,
        })
        return [d.id, items]
      }),
    )
    return { dataSource, each }
  })

  const others = $derived.by((): Other[] => {
    const { dataSource, instance, instances } = own()
    const there = new Map<number, readonly OneInstance[]>([
      ...(found.value?.dataSource === dataSource ? found.value.each : []),
      [device(), instances],
    ])
    return instance ? othersOf(entries, known, there, { device: device(), dataSource, instance }) : []
  })

  return {
    get entries() {
      return entries
    },
    get others() {
      return others
    },
    /** Whether other devices are compared. */
    get devices() {
      return ids !== ''
    },
    /** Whether the data sources of all devices are known. */
    get met() {
      return entries.every((e) => e.device === device() || known.has(e.device))
    },
    get fault() {
      return met.fault ?? found.fault
    },
    /** Returns the number of devices that have a data source, and the total number. */
    having: (dataSource: number) =>
      [
        1 + [...known.values()].filter((d) => d?.sources.includes(dataSource)).length,
        1 + [...known.values()].filter(Boolean).length,
      ] as const,
    /** Keeps the data source when another object is added or removed. */
    set: (to: readonly Entry[], source: number) => app.monitor.set({ with: listOf(to), source: String(source) }),
  }
}
