import type { Client, Listing } from '../client'

export type Severity = 'warn' | 'error' | 'crit'

/** A limit of a data point. */
export interface Limit {
  point: string
  /** The instance, if instances have different limits. */
  of?: string
  op: string
  value: number
  severity: Severity
}

const levels: Severity[] = ['warn', 'error', 'crit']
export const severityWords: Record<Severity, string> = { warn: 'warning', error: 'error', crit: 'critical' }

/**
 * Returns the limits of `> 60 80 90`: warn, error and critical. Of equal limits it returns the most
 * severe one, because alerts have that severity.
 */
export function limitsOf(point: string, expr: string): Limit[] {
  const match = /^\s*(>=|<=|>|<)\s*((?:-?[\d.]+(?:e[+-]?\d+)?\s*)+)$/i.exec(expr)
  if (!match) return []
  const values = match[2].trim().split(/\s+/).map(Number)
  const limits = values
    .slice(0, 3)
    .flatMap((value, i) => (Number.isFinite(value) ? [{ point, op: match[1], value, severity: levels[i] }] : []))
  return limits.filter((l, i) => l.value !== limits[i + 1]?.value)
}

export interface Place {
  device: string
  source: string
  /** Undefined if all instances of the data source are in the response. */
  instance?: string
  /** The requested graph, which has the names of the lines. */
  graph?: string
}

/** Returns the place of the data at an address: one or several instances of a data source on a device. */
export function placeOf(url: string): Place | undefined {
  const match =
    /\/device\/devices\/(\d+)\/devicedatasources\/(\d+)\/(?:instances\/(\d+)\/|groups\/\d+(?=\/graphs)\/)?(?:graphs\/(\d+)\/)?data(?:[?#]|$)/.exec(
      url,
    )
  if (!match) return undefined
  const [, device, source, instance, graph] = match
  return { device, source, ...(instance && { instance }), ...(graph && { graph }) }
}

/**
 * Returns the place of the data at an address. If the address has only an instance and a graph, the response of the
 * graph has the device, and its list of instances the rest.
 */
export async function findPlace(
  door: Door,
  url: string,
  signal: AbortSignal,
  now = Date.now(),
): Promise<Place | undefined> {
  const match = /\/device\/devicedatasourceinstances\/(\d+)\/graphs\/(\d+)\/data(?:[?#]|$)/.exec(url)
  if (!match) return placeOf(url)
  const [, instance, graph] = match
  const device = await deviceOf(door, instance, graph, signal, now)
  const [found] = device ? await instancesOf(door, { device }, signal, [instance]) : []
  return found && { device, source: String(found.deviceDataSourceId), instance, graph }
}

/** Returns the device of an instance, from a graph of its data source; empty if there is none. */
export async function deviceOf(
  door: Door,
  instance: string,
  graph: string,
  signal: AbortSignal,
  now = Date.now(),
): Promise<string> {
  const end = Math.floor(now / 1000)
  const { scopes } = await door.lookup<{ scopes?: { deviceId?: number }[] }>(
    `/device/devicedatasourceinstances/${instance}/graphs/${graph}/data`,
    { start: String(end - 60), end: String(end) },
    signal,
  )
  return String(scopes?.find((s) => s.deviceId)?.deviceId ?? '')
}

/** The data point and instance of a line. */
export interface Measured {
  /** The name of its data point, without the instance; for a list, the column. */
  point: string
  /** The instance, if there are several. */
  instance: string
}

interface GraphOf {
  id: number
  aggregated?: boolean
  lines: { legend: string; dataPointName: string; isVirtualDataPoint: boolean }[]
}

/**
 * Returns the data points of a graph's lines, by the names in the response. Lines computed from
 * several data points or instances have none, and no threshold.
 */
export async function lookUpMeasured(door: Door, at: Place, signal: AbortSignal): Promise<Map<string, Measured>> {
  const source = `/device/devices/${at.device}/devicedatasources/${at.source}`
  const [{ dataSourceId }, instances] = await Promise.all([
    door.lookup<{ dataSourceId: number }>(source, { fields: 'dataSourceId' }, signal),
    at.instance ? [] : instancesOf(door, at, signal),
  ])
  const { graphs, overviewGraphs } = await door.lookup<Record<'graphs' | 'overviewGraphs', GraphOf[]>>(
    `/setting/datasources/${dataSourceId}`,
    { fields: 'graphs,overviewGraphs' },
    signal,
  )
  const graph = (at.instance ? graphs : overviewGraphs).find((g) => String(g.id) === at.graph)
  const lines =
    graph?.lines.map((l) => ({
      legend: l.legend,
      point: l.isVirtualDataPoint || (graph.aggregated && !at.instance) ? '' : l.dataPointName,
    })) ?? []
  const each = lines.map(({ legend, point }): [string, Measured] => [legend, { point, instance: '' }])
  return new Map([
    ...each,
    ...instances.flatMap((i) =>
      lines.map(({ legend, point }): [string, Measured] => [`${i.displayName} ${legend}`, { point, instance: i.name }]),
    ),
  ])
}

export interface AlertSetting {
  dataPointName: string
  dataSourceInstanceId?: number
  disableAlerting?: boolean
  effectiveAlertExpr?: string
  alertExpr?: string
  globalAlertExpr?: string
}
export type Door = Pick<Client, 'lookup'>

/** The fields of an instance that a chart needs. */
export interface Instance {
  id: number
  name: string
  displayName: string
  groupId?: number
  deviceDataSourceId: number
  deviceDisplayName?: string
}
const instanceFields = 'id,name,displayName,groupId,deviceDataSourceId,deviceDisplayName'

/** Returns all instances of a data source on a device, or those of a device with some ids. */
export function instancesOf(
  door: Door,
  at: Pick<Place, 'device'> & { source?: string },
  signal: AbortSignal,
  ids: string[] = [],
): Promise<Instance[]> {
  const path = `/device/devices/${at.device}${at.source ? `/devicedatasources/${at.source}` : ''}/instances`
  return everyItem(door, path, { fields: instanceFields, ...(ids.length && { filter: `id:${ids.join('|')}` }) }, signal)
}

/** Returns the alert settings of some instances of a device, by id. */
export async function settingsOf(
  door: Door,
  device: string,
  ids: number[],
  signal: AbortSignal,
): Promise<AlertSetting[]> {
  const requests: Promise<AlertSetting[]>[] = []
  for (let i = 0; i < ids.length; i += idsAtOnce) {
    requests.push(
      everyItem(
        door,
        `/device/devices/${device}/alertsettings`,
        { filter: `dataSourceInstanceId:${ids.slice(i, i + idsAtOnce).join('|')}` },
        signal,
      ),
    )
  }
  return (await Promise.all(requests)).flat()
}
const idsAtOnce = 100 // limits the length of an address

async function everyItem<T>(
  door: Door,
  path: string,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const { items, total } = await door.lookup<Listing<T>>(
      path,
      { ...query, size: '1000', ...(all.length && { offset: String(all.length) }) },
      signal,
    )
    all.push(...items)
    if (!items.length || !(total > all.length)) return all
  }
}

/** Returns a client that sends equal requests only once. */
export function remembering<D extends Door>(door: D): D {
  const requests = new Map<string, Promise<unknown>>()
  const lookup = <T>(path: string, query?: Record<string, string>, signal?: AbortSignal) => {
    const key = `${path}?${new URLSearchParams(query)}`
    if (!requests.has(key)) requests.set(key, door.lookup(path, query, signal))
    return requests.get(key) as Promise<T>
  }
  return { ...door, lookup }
}

export async function lookUpLimits(door: Door, at: Place, signal: AbortSignal): Promise<Limit[]> {
  const source = `/device/devices/${at.device}/devicedatasources/${at.source}`
  if (at.instance)
    return (
      await door.lookup<Listing<AlertSetting>>(
        `${source}/instances/${at.instance}/alertsettings`,
        { size: '1000' },
        signal,
      )
    ).items.flatMap((s) => limitsIn(s))
  const instances = await instancesOf(door, at, signal)
  const items = await settingsOf(
    door,
    at.device,
    instances.map((i) => i.id),
    signal,
  )
  const names = new Map(instances.map((i) => [i.id, i.name]))
  return together(
    items.flatMap((s) =>
      names.has(s.dataSourceInstanceId ?? 0) ? limitsIn(s, names.get(s.dataSourceInstanceId!)) : [],
    ),
    () => instances.length,
  )
}

export function limitsIn(s: AlertSetting, of?: string): Limit[] {
  if (s.disableAlerting) return []
  return limitsOf(s.dataPointName, s.effectiveAlertExpr || s.alertExpr || s.globalAlertExpr || '').map((limit) => ({
    ...limit,
    ...(of !== undefined && { of }),
  }))
}

/** Merges limits that all instances have; `having` returns the number of instances with a data point. */
export function together(limits: Limit[], having: (point: string) => number): Limit[] {
  const key = ({ of: _, ...limit }: Limit) => JSON.stringify(limit)
  const count = new Map<string, number>()
  for (const limit of limits) count.set(key(limit), (count.get(key(limit)) ?? 0) + 1)
  const shared = new Map(
    limits.filter((l) => count.get(key(l)) === having(l.point)).map(({ of: _, ...limit }) => [key(limit), limit]),
  )
  return [...shared.values(), ...limits.filter((l) => !shared.has(key(l)))]
}

/** Whether a limit applies to a line. */
export const applies = (limit: Limit, line: Measured) =>
  limit.point === line.point && (limit.of === undefined || limit.of === line.instance)

/** Returns the next limit beyond one in its direction; undefined for the last. */
export function beyond(limit: Limit, limits: readonly Limit[]): Limit | undefined {
  const rising = limit.op.startsWith('>')
  return limits
    .filter((l) => l.op.startsWith('>') === rising && (rising ? l.value > limit.value : l.value < limit.value))
    .sort((a, b) => (rising ? a.value - b.value : b.value - a.value))[0]
}
