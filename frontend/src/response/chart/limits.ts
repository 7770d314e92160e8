import type { Client, Listing } from '../../client'

export type Severity = 'warn' | 'error' | 'crit'

/** A value that a data point must not pass. */
export interface Limit {
  point: string
  /** The instance it is for, where instances differ. */
  of?: string
  op: string
  value: number
  severity: Severity
}

/** When nobody is told of alerts. Epoch milliseconds. */
export interface Maintenance {
  from: number
  to: number
  comment: string
}

const levels: Severity[] = ['warn', 'error', 'crit']
export const severityWords: Record<Severity, string> = { warn: 'warn', error: 'error', crit: 'critical' }

/** The limits of `> 60 80 90`: warn, error and critical, as many as there are numbers. */
export function limitsOf(point: string, expr: string): Limit[] {
  const match = /^\s*(>=|<=|>|<)\s*((?:-?[\d.]+(?:e[+-]?\d+)?\s*)+)$/i.exec(expr)
  if (!match) return []
  const values = match[2].trim().split(/\s+/).map(Number)
  return values.slice(0, 3).flatMap((value, i) => (Number.isFinite(value) ? [{ point, op: match[1], value, severity: levels[i] }] : []))
}

export interface Place {
  device: string
  source: string
  /** Nothing where all instances of the source are in the answer. */
  instance?: string
  /** The graph that was asked for: its lines are called as it says. */
  graph?: string
}

/** Whose data an address answers, if it is that of one instance or of several of a data source on a device. */
export function placeOf(url: string): Place | undefined {
  const match = /\/device\/devices\/(\d+)\/devicedatasources\/(\d+)\/(?:instances\/(\d+)\/|groups\/\d+(?=\/graphs)\/)?(?:graphs\/(\d+)\/)?data(?:[?#]|$)/.exec(url)
  if (!match) return undefined
  const [, device, source, instance, graph] = match
  return { device, source, ...(instance && { instance }), ...(graph && { graph }) }
}

/**
 * Whose data an address answers. Where it names an instance and a graph only, the
 * graph's own answer tells the device, and that one's list of instances the rest.
 */
export async function findPlace(door: Door, url: string, signal: AbortSignal, now = Date.now()): Promise<Place | undefined> {
  const match = /\/device\/devicedatasourceinstances\/(\d+)\/graphs\/(\d+)\/data(?:[?#]|$)/.exec(url)
  if (!match) return placeOf(url)
  return placeByGraph(door, match[1], match[2], signal, now)
}

/** The place of an instance, by a graph of its data source. */
export async function placeByGraph(door: Pick<Client, 'lookup'>, instance: string, graph: string, signal: AbortSignal, now = Date.now()): Promise<Place | undefined> {
  const end = Math.floor(now / 1000)
  const { scopes } = await door.lookup<{ scopes?: { deviceId?: number }[] }>(`/device/devicedatasourceinstances/${instance}/graphs/${graph}/data`, { start: String(end - 60), end: String(end) }, signal)
  const device = scopes?.find((s) => s.deviceId)?.deviceId
  if (!device) return undefined
  const { items } = await door.lookup<Listing<{ deviceDataSourceId: number }>>(`/device/devices/${device}/instances`, { filter: `id:${instance}`, fields: 'deviceDataSourceId' }, signal)
  return items.length ? { device: String(device), source: String(items[0].deviceDataSourceId), instance, graph } : undefined
}

/** What a line of a chart is measured of. */
export interface Measured {
  /** The name of its data point, without the instance; of a list, the column. */
  point: string
  /** The instance, where there are several. */
  instance: string
}

interface GraphOf { id: number; aggregated?: boolean; lines: { legend: string; dataPointName: string; isVirtualDataPoint: boolean }[] }

/**
 * What the lines of a graph are measured of, by what the answer calls them. What is
 * worked out of several data points or instances is of none: no threshold is for it.
 */
export async function lookUpMeasured(door: Door, at: Place, signal: AbortSignal): Promise<Map<string, Measured>> {
  const source = `/device/devices/${at.device}/devicedatasources/${at.source}`
  const [{ dataSourceId }, instances] = await Promise.all([
    door.lookup<{ dataSourceId: number }>(source, { fields: 'dataSourceId' }, signal),
    at.instance ? [] : door.lookup<Listing<{ name: string; displayName: string }>>(`${source}/instances`, { size: '1000', fields: 'name,displayName' }, signal).then((l) => l.items),
  ])
  const { graphs, overviewGraphs } = await door.lookup<Record<'graphs' | 'overviewGraphs', GraphOf[]>>(`/setting/datasources/${dataSourceId}`, { fields: 'graphs,overviewGraphs' }, signal)
  const graph = (at.instance ? graphs : overviewGraphs).find((g) => String(g.id) === at.graph)
  const lines = graph?.lines.map((l) => ({ legend: l.legend, point: l.isVirtualDataPoint || (graph.aggregated && !at.instance) ? '' : l.dataPointName })) ?? []
  const each = lines.map(({ legend, point }): [string, Measured] => [legend, { point, instance: '' }])
  return new Map([...each, ...instances.flatMap((i) => lines.map(({ legend, point }): [string, Measured] => [`${i.displayName} ${legend}`, { point, instance: i.name }]))])
}

interface AlertSetting { dataPointName: string; dataSourceInstanceId?: number; disableAlerting?: boolean; effectiveAlertExpr?: string; alertExpr?: string; globalAlertExpr?: string }
interface Past { approximateStartEpoch: number; approximateEndEpoch: number; comment: string }
interface Planned {
  type: string
  sdtType: string
  startDateTime: number
  endDateTime: number
  comment: string
  deviceGroupId: number
  dataSourceId: number
  deviceDataSourceId: number
  dataSourceInstanceId: number
  deviceDataSourceInstanceGroupId: number
}

type Door = Pick<Client, 'lookup' | 'windows'>

export async function lookUpLimits(door: Door, at: Place, signal: AbortSignal): Promise<Limit[]> {
  const source = `/device/devices/${at.device}/devicedatasources/${at.source}`
  if (at.instance) return (await door.lookup<Listing<AlertSetting>>(`${source}/instances/${at.instance}/alertsettings`, { size: '1000' }, signal)).items.flatMap((s) => limitsIn(s))
  const [{ items: instances }, { items }] = await Promise.all([
    door.lookup<Listing<{ id: number; name: string }>>(`${source}/instances`, { size: '1000', fields: 'id,name' }, signal),
    door.lookup<Listing<AlertSetting>>(`/device/devices/${at.device}/alertsettings`, { size: '1000' }, signal),
  ])
  const names = new Map(instances.map((i) => [i.id, i.name]))
  return together(items.flatMap((s) => (names.has(s.dataSourceInstanceId ?? 0) ? limitsIn(s, names.get(s.dataSourceInstanceId!)) : [])), instances.length)
}

function limitsIn(s: AlertSetting, of?: string): Limit[] {
  if (s.disableAlerting) return []
  return limitsOf(s.dataPointName, s.effectiveAlertExpr || s.alertExpr || s.globalAlertExpr || '').map((limit) => ({ ...limit, ...(of !== undefined && { of }) }))
}

/** A limit that all instances have is one. */
export function together(limits: Limit[], instances: number): Limit[] {
  const key = ({ of: _, ...limit }: Limit) => JSON.stringify(limit)
  const count = new Map<string, number>()
  for (const limit of limits) count.set(key(limit), (count.get(key(limit)) ?? 0) + 1)
  const shared = new Map(limits.filter((l) => count.get(key(l)) === instances).map(({ of: _, ...limit }) => [key(limit), limit]))
  return [...shared.values(), ...limits.filter((l) => !shared.has(key(l)))]
}

/** Whether a limit is for a line. */
export const applies = (limit: Limit, line: Measured) => limit.point === line.point && (limit.of === undefined || limit.of === line.instance)

/**
 * The maintenance in a time that an instance is in: its own, that of its group,
 * its data source, its device and the groups above. What is over is as the
 * history has it, the rest as it is planned; instance groups have no history.
 */
export async function lookUpMaintenance(door: Door, at: Place, range: { from: number; to: number }, signal: AbortSignal, now = Date.now()): Promise<Maintenance[]> {
  const device = `/device/devices/${at.device}`
  const source = `${device}/devicedatasources/${at.source}`
  const past = async (path: string) =>
    (await door.lookup<Listing<Past>>(`${path}/historysdts`, { size: '1000' }, signal)).items.map((w) => ({ from: w.approximateStartEpoch * 1000, to: w.approximateEndEpoch * 1000, comment: w.comment }))
  const planned = async () => {
    const all = (await door.lookup<Listing<Planned>>(`${device}/sdts`, { size: '1000' }, signal)).items
    const dataSource = all.some((s) => s.type === groupSdt && s.dataSourceId) ? (await door.lookup<{ dataSourceId: number }>(source, { fields: 'dataSourceId' }, signal)).dataSourceId : 0
    const instances = at.instance && all.some((s) => s.type === instanceGroupSdt) ? (await door.lookup<{ groupId?: number }>(`${source}/instances/${at.instance}`, { fields: 'groupId' }, signal)).groupId ?? 0 : 0
    const ours = all.filter((s) => concerns(s, at, dataSource, instances))
    const groups = [...new Set(ours.filter((s) => s.type === groupSdt).map((s) => s.deviceGroupId))]
    const [windows, ...ended] = await Promise.all([ours.length ? door.windows(range.from, range.to, ours, signal) : [], ...groups.map((id) => past(`/device/groups/${id}`))])
    const unwritten = (w: { of: number; to: number }) => ours[w.of].sdtType === 'oneTime' || ours[w.of].type === instanceGroupSdt || w.to > now
    return [...windows.filter(unwritten).map((w) => ({ from: w.from, to: w.to, comment: ours[w.of].comment })), ...ended.flat()]
  }
  const found = (await Promise.all([past(device), past(source), at.instance ? past(`${source}/instances/${at.instance}`) : [], planned()])).flat()
  const second = (ms: number) => Math.floor(ms / 1000)
  return [...new Map(found.map((w) => [`${second(w.from)} ${second(w.to)} ${w.comment}`, w])).values()]
}

const groupSdt = 'ResourceGroupSDT'
const instanceGroupSdt = 'DeviceDataSourceInstanceGroupSDT'

/** Whether what is planned on a device, its parts and the groups above it is for the instance, or all of them, too. */
function concerns(s: Planned, at: Place, dataSource: number, instanceGroup: number): boolean {
  switch (s.type) {
    case 'ResourceSDT':
      return true
    case groupSdt:
      return !s.dataSourceId || s.dataSourceId === dataSource
    case 'DeviceDataSourceSDT':
      return s.deviceDataSourceId === Number(at.source)
    case instanceGroupSdt:
      return instanceGroup > 0 && s.deviceDataSourceInstanceGroupId === instanceGroup
    case 'DeviceDataSourceInstanceSDT':
      return at.instance !== undefined && s.dataSourceInstanceId === Number(at.instance)
  }
  return false
}
