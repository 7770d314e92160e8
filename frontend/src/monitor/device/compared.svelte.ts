import { useApp } from '../../state/app.svelte'
import { asked } from '../asked.svelte'
import { entriesOf, listOf, othersOf, type Entry, type Met, type OneInstance, type Other } from './compared'

/** What the page of a device shows, with which others are compared. */
export interface Own {
  /** 0 while none is chosen. */
  dataSource: number
  instance?: OneInstance
  instances: readonly OneInstance[]
}

/** With what a device is compared, as the address says it and the portal knows it. For the beginning of a component. */
export function comparing(device: () => number, own: () => Own) {
  const app = useApp()
  const list = $derived(app.monitor.filter('with'))
  const entries = $derived(entriesOf(list))
  const ids = $derived([...new Set(entries.map((e) => e.device))].filter((id) => id !== device()).join('|'))

  const met = asked(['device', 'deviceDatasource'], async (portal, signal): Promise<[number, Met | null][]> => {
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

  const found = asked(['deviceDatasourceInstance'], async (portal, signal) => {
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
    /** Other devices are among them. */
    get devices() {
      return ids !== ''
    },
    /** It is known what is on each device. */
    get met() {
      return entries.every((e) => e.device === device() || known.has(e.device))
    },
    get fault() {
      return met.fault ?? found.fault
    },
    /** How many of the devices have a data source that the own one has, and of how many. */
    having: (dataSource: number) =>
      [
        1 + [...known.values()].filter((d) => d?.sources.includes(dataSource)).length,
        1 + [...known.values()].filter(Boolean).length,
      ] as const,
    /** The data source stays while another is added or taken out. */
    set: (to: readonly Entry[], source: number) => app.monitor.set({ with: listOf(to), source: String(source) }),
  }
}
