/** A story in the screen: its lines, filters and charts. */
import type { Limit } from '../../chart/limits'
import { limitsOf } from '../../chart/limits'
import type { Drawn } from '../../chart/lines'
import type { MonitorClient } from '../../client/monitor'
import { severityOf } from '../severity'

export const path = '/alert/alerts/{id}/story' as const

export type Story = Awaited<ReturnType<typeof get>>
export const get = (portal: MonitorClient, id: string, signal?: AbortSignal) =>
  portal.get(path, { params: { id }, signal })
export type StoryEvent = Story['events'][number]
export type StoryDevice = Story['devices'][number]
export type StoryChart = Story['charts']['lines'][number]

const groups = {
  all: [],
  alerts: ['silent', 'opened', 'state', 'cleared', 'back'],
  people: ['acked', 'note', 'notified', 'failed', 'opsNote'],
  changes: ['change', 'maintenance', 'opsNote'],
} as const satisfies Record<string, readonly StoryEvent['kind'][]>
export type Filter = keyof typeof groups
export const filters = Object.keys(groups) as Filter[]

/** Returns the events of a filter. */
export function eventsOf(story: Pick<Story, 'events'>, filter: Filter): StoryEvent[] {
  const kinds: readonly string[] = groups[filter]
  return filter === 'all' ? story.events : story.events.filter((e) => kinds.includes(e.kind))
}

/** The devices in the order of the list: the cause, those without a response, those with alerts, the others. */
export function devicesOf(story: Pick<Story, 'devices'>): StoryDevice[] {
  const rank = (d: StoryDevice) => (d.role === 'cause' ? 0 : d.silentOn ? 1 : d.alerts ? 2 : 3)
  return [...story.devices].sort((a, b) => rank(a) - rank(b) || a.silentOn - b.silentOn)
}

/** The level of a device in the list: critical while it does not respond, else that of its worst alert. */
export function levelOf(story: Pick<Story, 'alerts'>, d: Pick<StoryDevice, 'deviceId' | 'silentOn' | 'backOn'>) {
  if (d.silentOn && !d.backOn) return 'crit'
  return severityOf(Math.max(0, ...story.alerts.filter((a) => a.deviceId === d.deviceId).map((a) => a.severity))).level
}

/** The times of the charts, in epoch milliseconds. */
export function timesOf({ startTime, step }: Story['charts'], values: number): number[] {
  return Array.from({ length: values }, (_, i) => (startTime + i * step) * 1000)
}

/** Returns the line of a chart, and its limits. */
export function drawnOf(chart: StoryChart): { line: Drawn; limits: Limit[] } {
  const seen = chart.values.filter((v) => v !== null)
  return {
    limits: limitsOf(chart.dataPointName, chart.threshold),
    line: {
      key: String(chart.alertId),
      set: 0,
      point: chart.dataPointName,
      instance: '',
      name: chart.dataPointName,
      values: chart.values as (number | null)[],
      count: seen.length,
      gaps: 0,
      min: seen.length ? Math.min(...seen) : null,
      max: seen.length ? Math.max(...seen) : null,
      last: seen.at(-1) ?? null,
    } as Drawn,
  }
}

/** Returns the title of a chart: the device, and the measured quantity. */
export const titleOf = (c: StoryChart) =>
  `${c.deviceName} · ${[c.dataSourceName, c.instanceName].filter(Boolean).join(' ')}`
