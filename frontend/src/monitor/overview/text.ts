/** The text of the overview. */
import { number } from '../../ui/locale'

export const text = {
  title: 'Overview',
  counts: 'Counts',
  acked: { word: 'Acked', sub: 'no escalation' },
  maintenance: { word: 'Maintenance', sub: 'no notifications' },
  inAnHour: (change: number) => `${change > 0 ? '+' : change < 0 ? '−' : '±'}${number(Math.abs(change))} in 1 h`,
  showThese: 'Show these alerts',
  none: '–',

  raised: 'Alerts raised',
  time: 'Time',
  timeIs: (range: string) => `Time: ${range}`,
  ranges: {
    1: { label: 'Last hour', per: 'per minute' },
    6: { label: 'Last 6 hours', per: 'per 5 minutes' },
    24: { label: 'Last 24 hours', per: 'per 20 minutes' },
    168: { label: 'Last 7 days', per: 'per 2 hours' },
  },
  raisedOf: (counts: string[]) => `Alerts raised: ${counts.join(', ')}`,
  raisedIn: (moment: string, critical: number, error: number, warn: number) =>
    `${moment}: ${critical} critical, ${error} error, ${warn} warning`,
  now: 'now',

  active: 'Active alerts',
  show: 'Show',
  shows: { all: 'All', 4: 'Critical', 3: 'Error', 2: 'Warning', unacked: 'Not acked' },
  allGroups: 'Show all groups',
  unknown: 'Could not load alerts',
  again: 'Try again',
  fine: 'No active alerts',
  noneLike: 'No alerts match.',
  chosen: 'Selected alert',
  details: 'Details',
  detailsOf: (device: string) => ` of ${device}`,
  chartCall: 'the chart',

  health: {
    title: 'Device health',
    groups: (n: number, within: string) => `${number(n)} ${n === 1 ? 'group' : 'groups'}${within && ` in ${within}`}`,
    legend: (devices: number) =>
      `${devices > 1 ? `one cell, up to ${number(devices)} devices` : 'one cell per device'}, worst first`,
    enter: (group: string) => `Show the groups in ${group}`,
    devices: (group: string) => `Show the devices in ${group}`,
    critical: ' critical',
    errors: ' with errors',
    warnings: ' with warnings',
    silent: (n: number) => `${number(n)} not responding`,
    noData: (n: number) => `${number(n)} without data`,
    of: (
      group: string,
      n: { total: number; critical: number; error: number; warn: number; silent: number; noData: number },
    ) =>
      `${group}: ${n.total} ${n.total === 1 ? 'device' : 'devices'}, ${n.critical} critical, ${n.error} with errors, ${n.warn} with warnings, ${n.silent} not responding, ${n.noData} without data`,
    more: (n: number) => `${number(n)} more ${n === 1 ? 'group' : 'groups'}`,
    scroll: 'Scroll to the next group',
    own: (group: string) => (group ? `Directly in ${group}` : 'In no group'),
    unknown: 'Could not load device health',
    empty: 'No devices here',
    fills: 'Added devices appear here.',
  },

  incident: {
    is: (name: string) => `Demo incident: ${name}`,
    since: (moment: string, does: string) => `since ${moment} · ${does}`,
    more: (n: number) => `${number(n)} more.`,
    alerts: 'Show its alerts',
    stop: 'Stop',
    goesOn: 'The incident is still running',
    call: 'the incident',
    hide: 'Hide',
  },
} as const
