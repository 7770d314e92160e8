import type { Client, Listing } from '../../client'

export type Severity = 'warn' | 'error' | 'crit'

/** A value that a data point must not pass. */
export interface Limit {
  point: string
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
  instance: string
}

/** Whose data an address answers, if it is that of one instance. */
export function placeOf(url: string): Place | undefined {
  const match = /\/device\/devices\/(\d+)\/devicedatasources\/(\d+)\/instances\/(\d+)\/(?:data|graphs\/\d+\/data)(?:[?#]|$)/.exec(url)
  return match ? { device: match[1], source: match[2], instance: match[3] } : undefined
}

interface AlertSetting { dataPointName: string; disableAlerting?: boolean; effectiveAlertExpr?: string; alertExpr?: string; globalAlertExpr?: string }
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
}

type Door = Pick<Client, 'lookup'>

export async function lookUpLimits(door: Door, at: Place, signal: AbortSignal): Promise<Limit[]> {
  const path = `/device/devices/${at.device}/devicedatasources/${at.source}/instances/${at.instance}/alertsettings`
  const { items } = await door.lookup<Listing<AlertSetting>>(path, { size: '1000' }, signal)
  return items.flatMap((s) => (s.disableAlerting ? [] : limitsOf(s.dataPointName, s.effectiveAlertExpr || s.alertExpr || s.globalAlertExpr || '')))
}

/**
 * The maintenance that an instance is in: its own, that of its data source, its
 * device and the groups above that have any. Past windows are as the history has
 * them, the others those planned once.
 */
export async function lookUpMaintenance(door: Door, at: Place, signal: AbortSignal): Promise<Maintenance[]> {
  const device = `/device/devices/${at.device}`
  const source = `${device}/devicedatasources/${at.source}`
  const past = async (path: string) =>
    (await door.lookup<Listing<Past>>(`${path}/historysdts`, { size: '1000' }, signal)).items.map((w) => ({ from: w.approximateStartEpoch * 1000, to: w.approximateEndEpoch * 1000, comment: w.comment }))
  const planned = async () => {
    const all = (await door.lookup<Listing<Planned>>(`${device}/sdts`, { size: '1000' }, signal)).items
    const dataSource = all.some((s) => s.type === groupSdt && s.dataSourceId) ? (await door.lookup<{ dataSourceId: number }>(source, { fields: 'dataSourceId' }, signal)).dataSourceId : 0
    const ours = all.filter((s) => concerns(s, at, dataSource))
    const groups = [...new Set(ours.filter((s) => s.type === groupSdt).map((s) => s.deviceGroupId))]
    const once = ours.filter((s) => s.sdtType === 'oneTime' && s.endDateTime > 0).map((s) => ({ from: s.startDateTime, to: s.endDateTime, comment: s.comment }))
    return [once, ...(await Promise.all(groups.map((id) => past(`/device/groups/${id}`))))].flat()
  }
  const found = (await Promise.all([past(device), past(source), past(`${source}/instances/${at.instance}`), planned()])).flat()
  const second = (ms: number) => Math.floor(ms / 1000)
  return [...new Map(found.map((w) => [`${second(w.from)} ${second(w.to)} ${w.comment}`, w])).values()]
}

const groupSdt = 'ResourceGroupSDT'

/** Whether what is planned on a device, its parts and the groups above it is for the instance too. */
function concerns(s: Planned, at: Place, dataSource: number): boolean {
  switch (s.type) {
    case 'ResourceSDT':
      return true
    case groupSdt:
      return !s.dataSourceId || s.dataSourceId === dataSource
    case 'DeviceDataSourceSDT':
      return s.deviceDataSourceId === Number(at.source)
    case 'DeviceDataSourceInstanceSDT':
      return s.dataSourceInstanceId === Number(at.instance)
  }
  return false
}
