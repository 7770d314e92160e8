/** Reads and writes a threshold at one of its levels. */
import type { App } from '../../../state/app.svelte'
import { Fault } from '../../../client'
import type { MonitorClient } from '../../../client/monitor'
import type { Subject } from '../charting'
import { text } from './text'

export const levels = ['instance', 'device', 'group', 'source'] as const
export type Level = (typeof levels)[number]

const base = '/device/devices/{deviceId}/devicedatasources/{hdsId}' as const
export const paths = {
  instance: `${base}/instances/{instanceId}/alertsettings/{id}`,
  device: `${base}/alertsettings/{id}`,
  group: '/device/groups/{deviceGroupId}/datasources/{dsId}/alertsettings',
  source: '/setting/datasources/{id}',
} as const

/** The threshold of a data point on an instance, with the levels that set it. */
export interface Setting {
  point: { id: number; name: string }
  subject: Subject
  dataSource: number
  /** The groups of the device. */
  groups: { id: number; name: string }[]
  effective: string
  /** The levels that set a threshold, the nearest first. */
  chain: { level: 'instance' | 'instance group' | 'device' | 'group'; id: number }[]
}

const params = ({ device, source, instance }: Subject) => ({ deviceId: device, hdsId: source, instanceId: instance })

export async function readSetting(
  portal: MonitorClient,
  subject: Subject,
  point: string,
  signal: AbortSignal,
): Promise<Setting | undefined> {
  const [{ items }, on, device] = await Promise.all([
    portal.list(`${base}/instances/{instanceId}/alertsettings`, {
      params: params(subject),
      query: { size: 1000 },
      signal,
    }),
    portal.get('/device/devices/{deviceId}/devicedatasources/{id}', {
      params: { deviceId: subject.device, id: subject.source },
      query: { fields: 'id,dataSourceId' },
      signal,
    }),
    portal.get('/device/devices/{id}', {
      params: { id: subject.device },
      query: { fields: 'id,hostGroupIds' },
      signal,
    }),
  ])
  const s = items.find((one) => one.dataPointName === point)
  if (!s) return undefined
  const ids = device.hostGroupIds.split(',').filter(Boolean)
  const groups = await portal.list('/device/groups', {
    query: { filter: `id:${ids.join('|')}`, fields: 'id,name,fullPath', size: 1000 },
    signal,
  })
  return {
    point: { id: s.dataPointId, name: s.dataPointName },
    subject,
    dataSource: on.dataSourceId,
    groups: groups.items.map((g) => ({ id: g.id, name: g.fullPath || text.allDevices })),
    effective: s.effectiveAlertExpr,
    chain: [
      ...(s.alertExpr ? [{ level: 'instance' as const, id: 0 }] : []),
      ...(s.parentInstanceGroupAlertExpr?.alertExpr ? [{ level: 'instance group' as const, id: 0 }] : []),
      ...(s.parentResourceDataSourceAlertExpr?.alertExpr ? [{ level: 'device' as const, id: 0 }] : []),
      ...s.parentDeviceGroupAlertExprList
        .filter((g) => g.alertExpr)
        .map((g) => ({ level: 'group' as const, id: g.groupId })),
    ],
  }
}

/** Returns the level that keeps a threshold of another level from taking effect; '' for none. */
export function nearer({ chain }: Pick<Setting, 'chain'>, level: Level, group: number): '' | keyof typeof text.nearer {
  const order = ['instance', 'instance group', 'device', 'group', 'source']
  const own = order.indexOf(level)
  const first = chain[0]
  if (!first) return ''
  if (first.level === 'group' && level === 'group') return first.id === group ? '' : 'group'
  return order.indexOf(first.level) < own ? first.level : ''
}

/** Returns the threshold that a level sets; '' if it inherits. */
export async function ownOf(app: App, s: Setting, level: Level, group: number, signal?: AbortSignal): Promise<string> {
  const portal = app.client.monitor
  if (level === 'instance')
    return (await portal.get(paths.instance, { params: { ...params(s.subject), id: s.point.id }, signal })).alertExpr
  if (level === 'device')
    return (await portal.get(paths.device, { params: { ...params(s.subject), id: s.point.id }, signal })).alertExpr
  if (level === 'group') return (await groupPoint(portal, s, group, signal))?.alertExpr ?? ''
  const { dataPoints } = await portal.get(paths.source, { params: { id: s.dataSource }, signal })
  return dataPoints.find((p) => p.id === s.point.id)?.alertExpr ?? ''
}

async function groupPoint(portal: MonitorClient, s: Setting, group: number, signal?: AbortSignal) {
  const at = { params: { deviceGroupId: group, dsId: s.dataSource }, signal }
  return (await portal.get(paths.group, at)).dpConfig.find((p) => p.dataPointId === s.point.id)
}

/** Sets the threshold of a level; '' inherits it. */
export async function setAt(app: App, s: Setting, level: Level, group: number, alertExpr: string): Promise<void> {
  const portal = app.client.monitor
  const at = { params: { ...params(s.subject), id: s.point.id } }
  if (level === 'instance') return void (await portal.change(paths.instance, { alertExpr }, at))
  if (level === 'device') return void (await portal.change(paths.device, { alertExpr }, at))
  if (level === 'group') {
    const now = await groupPoint(portal, s, group)
    if (!now) throw new Fault(text.unread)
    // omitted settings become inherited, so the body repeats the other settings of the group
    const { dataPointId, alertExprNote, disableAlerting, alertForNoData } = now
    const { alertTransitionInterval, alertClearTransitionInterval } = now
    const one = {
      dataPointId,
      alertExpr,
      alertExprNote,
      disableAlerting,
      alertForNoData,
      alertTransitionInterval,
      alertClearTransitionInterval,
    }
    const body = { dpConfig: [one] } as unknown as Parameters<typeof portal.change<typeof paths.group>>[1]
    return void (await portal.change(paths.group, body, { params: { deviceGroupId: group, dsId: s.dataSource } }))
  }
  const read = await app.client.rest.get<{ dataPoints: { id: number }[] }>(`/setting/datasources/${s.dataSource}`)
  const dataPoints = read.value.dataPoints.map((p) => (p.id === s.point.id ? { ...p, alertExpr } : p))
  await app.client.rest.write('PATCH', `/setting/datasources/${s.dataSource}`, { dataPoints }, read.etag)
}

/** Rounds a value to a step that suits a scale: about 200 steps of 1, 2 or 5. */
export function stepOf(low: number, high: number): number {
  const raw = (high - low) / 200
  if (!(raw > 0)) return 1
  const size = 10 ** Math.floor(Math.log10(raw))
  return size * (raw / size > 5 ? 10 : raw / size > 2 ? 5 : raw / size > 1 ? 2 : 1)
}

/** Formats a number for the API, without the digits that floating point adds. */
export const plain = (n: number) => String(Number(n.toPrecision(12)))

/**
 * Moves one limit of a threshold to a multiple of the step. It stops before the limits of the neighboring severities:
 * of equal limits only one would remain.
 */
export function moved(words: readonly string[], i: number, to: number, step: number, op: string): string[] {
  const values = words.map((w) => (w.trim() === '' ? undefined : Number(w)))
  const before = values.slice(0, i).filter((v) => v !== undefined)
  const after = values.slice(i + 1).filter((v) => v !== undefined)
  const [below, above] = op.startsWith('<') ? [after, before] : [before, after]
  const low = Math.floor(Math.max(...below) / step + 1) * step // -Infinity without a neighbor
  const high = Math.ceil(Math.min(...above) / step - 1) * step
  if (low > high) return [...words]
  const value = Math.min(high, Math.max(low, Math.round(to / step) * step))
  return words.map((w, k) => (k === i ? plain(value) : w))
}
