/** Maintenance windows of the objects in a chart, during which alerts send no notifications. */
import type { Client, Listing } from '../client'
import type { Planned as Schedule } from '../client/table'
import { instancesOf, type Door, type Instance, type Place } from './limits'

/** Epoch milliseconds. */
export interface Maintenance {
  from: number
  to: number
  comment: string
  /** Its target, unless it applies to the whole chart. */
  of?: string
}

/** A maintenance window for all or some of the instances in a chart. */
export interface Window extends Maintenance {
  only?: Instance[]
}

interface Past {
  approximateStartEpoch: number
  approximateEndEpoch: number
  comment: string
}
interface Planned extends Schedule {
  type: string
  comment: string
  deviceGroupId: number
  dataSourceId: number
  deviceDataSourceId: number
  dataSourceInstanceId: number
  deviceDataSourceInstanceGroupId: number
}

type PlanDoor = Door & Pick<Client, 'windows'>
interface Range {
  from: number
  to: number
}

/** Returns the maintenance of one instance, or of any instance of a data source on a device. */
export async function lookUpMaintenance(
  door: PlanDoor,
  at: Place,
  range: Range,
  signal: AbortSignal,
  now = Date.now(),
): Promise<Maintenance[]> {
  const among = at.instance ? [] : await instancesOf(door, at, signal)
  return (await lookUpWindows(door, at, among, range, signal, now)).map(({ only, ...w }) => ({
    ...w,
    ...(only && { of: only.map((i) => i.displayName).join(', ') }),
  }))
}

/**
 * Returns the maintenance in a time range for an instance, or for several `among`: its own, and
 * that of its group, data source, device and groups above. Past windows come from the history,
 * others from schedules. Instance groups have no history, and that of several single instances is
 * not requested.
 */
export async function lookUpWindows(
  door: PlanDoor,
  at: Place,
  among: Instance[],
  range: Range,
  signal: AbortSignal,
  now: number,
): Promise<Window[]> {
  const device = `/device/devices/${at.device}`
  const source = `${device}/devicedatasources/${at.source}`
  const past = async (path: string): Promise<Window[]> =>
    (await door.lookup<Listing<Past>>(`${path}/historysdts`, { size: '1000' }, signal)).items.map((w) => ({
      from: w.approximateStartEpoch * 1000,
      to: w.approximateEndEpoch * 1000,
      comment: w.comment,
    }))
  const planned = async (): Promise<Window[]> => {
    const all = (await door.lookup<Listing<Planned>>(`${device}/sdts`, { size: '1000' }, signal)).items
    const dataSource = all.some((s) => s.type === groupSdt && s.dataSourceId)
      ? (await door.lookup<{ dataSourceId: number }>(source, { fields: 'dataSourceId' }, signal)).dataSourceId
      : 0
    const group =
      at.instance && all.some((s) => s.type === instanceGroupSdt)
        ? ((
            await door.lookup<{ groupId?: number }>(`${source}/instances/${at.instance}`, { fields: 'groupId' }, signal)
          ).groupId ?? 0)
        : 0
    const alone = at.instance ? [{ id: Number(at.instance), groupId: group }] : []
    const ours = all.filter((s) => concerns(s, at, dataSource, at.instance ? alone : among))
    const groups = [...new Set(ours.filter((s) => s.type === groupSdt).map((s) => s.deviceGroupId))]
    const [windows, ...ended] = await Promise.all([
      ours.length ? door.windows(range.from, range.to, ours, signal) : [],
      ...groups.map((id) => past(`/device/groups/${id}`)),
    ])
    const unwritten = (w: { of: number; to: number }) => {
      const { sdtType, type } = ours[w.of]
      return sdtType === 'oneTime' || type === instanceGroupSdt || (type === instanceSdt && !at.instance) || w.to > now
    }
    const only = (s: Planned) => {
      const of = among.filter((i) => isPart(s, i))
      return of.length && of.length < among.length ? { only: of } : {}
    }
    return [
      ...windows
        .filter(unwritten)
        .map((w) => ({ from: w.from, to: w.to, comment: ours[w.of].comment, ...only(ours[w.of]) })),
      ...ended.flat(),
    ]
  }
  const found = (
    await Promise.all([
      past(device),
      past(source),
      at.instance ? past(`${source}/instances/${at.instance}`) : [],
      planned(),
    ])
  ).flat()
  return [...new Map(found.map((w) => [`${keyOf(w)} ${w.only?.map((i) => i.id) ?? ''}`, w])).values()]
}

/** Returns a key that is equal for equal windows: the history has whole seconds. */
export function keyOf(w: Maintenance): string {
  const second = (ms: number) => Math.floor(ms / 1000)
  return `${second(w.from)} ${second(w.to)} ${w.comment}`
}

const groupSdt = 'ResourceGroupSDT'
const instanceGroupSdt = 'DeviceDataSourceInstanceGroupSDT'
const instanceSdt = 'DeviceDataSourceInstanceSDT'

/** Reports whether a schedule on a device, its parts or the groups above applies to any of the instances. */
function concerns(s: Planned, at: Place, dataSource: number, instances: Pick<Instance, 'id' | 'groupId'>[]): boolean {
  switch (s.type) {
    case 'ResourceSDT':
      return true
    case groupSdt:
      return !s.dataSourceId || s.dataSourceId === dataSource
    case 'DeviceDataSourceSDT':
      return s.deviceDataSourceId === Number(at.source)
  }
  return instances.some((i) => isPart(s, i))
}

/** Whether it applies to only the instance, or to its group of instances. */
function isPart(s: Planned, i: Pick<Instance, 'id' | 'groupId'>): boolean {
  if (s.type === instanceSdt) return s.dataSourceInstanceId === i.id
  return s.type === instanceGroupSdt && !!i.groupId && s.deviceDataSourceInstanceGroupId === i.groupId
}
