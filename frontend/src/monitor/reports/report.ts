import { exact, moment } from '../age'
import type { Cell } from '../list/cells'
import type { Values } from '../form/fields'
import type { Kind, Row } from '../settings/kind'
import { scheduleText } from './cron'
import { rangeText } from './ranges'
import { typeName, types } from './types'

const of = (...kinds: string[]) => (v: Values) => kinds.includes(String(v.type))
const alerts = of('Alert')
const chosen = of('Host inventory', 'Alert SLA', 'Host metric trends')
const filtered = of('Alert', 'Alert threshold')

const next = (r: Row): Cell => (r.nextGenerateOn ? { text: moment(Number(r.nextGenerateOn)), title: exact(Number(r.nextGenerateOn)) } : { text: '–', quiet: true })
const last = (r: Row): Cell => (r.lastGenerateOn ? { text: moment(Number(r.lastGenerateOn)), title: exact(Number(r.lastGenerateOn)) } : { text: 'never', quiet: true })
const recipients = (r: Row) => (r.recipients as unknown[] | undefined)?.length ?? 0

export const kind: Kind = {
  path: '/report/reports', follows: ['report', 'reportTask', 'reportGroup'], one: 'report', many: 'Reports', sort: 'name',
  title: (r) => String(r.name),
  empty: 'A report is made when you ask, or by a schedule, and can go out by mail.',
  columns: [
    { id: 'name', label: 'Report', width: 'minmax(144px, 1.6fr)', sort: 'name', cell: (r) => ({ text: String(r.name), strong: true }) },
    { id: 'type', label: 'About', width: 'minmax(96px, .8fr)', sort: 'type', cell: (r) => ({ text: typeName(r.type), icon: types[String(r.type)]?.icon }) },
    { id: 'period', label: 'Period', width: 'minmax(112px, 1fr)', cell: (r) => (types[String(r.type)]?.period ? rangeText(String(r.dateRange)) : { text: 'as it is now', quiet: true }), wide: true },
    { id: 'format', label: 'Format', width: '64px', sort: 'format', cell: (r) => ({ text: String(r.format), code: true }) },
    { id: 'schedule', label: 'Schedule', width: 'minmax(120px, 1.4fr)', cell: (r) => (r.schedule ? { text: scheduleText(String(r.schedule)), title: `${scheduleText(String(r.schedule))}${r.scheduleTimezone ? `, ${String(r.scheduleTimezone)}` : ''}` } : { text: 'Only when asked', quiet: true }), wide: true },
    { id: 'next', label: 'Next run', width: '112px', sort: 'nextGenerateOn', cell: next, wide: true },
    { id: 'last', label: 'Last run', width: '112px', cell: last },
  ],
  blank: { type: 'Alert', name: '', dateRange: 'Last 7 days', format: 'HTML' },
  groups: [
    { title: '1. What it is about', fields: [
      { name: 'type', label: 'Type', view: () => import('./TypePick.svelte') },
      { name: 'name', label: 'Name', hint: 'The title of the report' },
      { name: 'description', label: 'What it is for', control: 'text' },
    ] },
    { title: '2. Which, and of what time', fields: [
      { name: 'dateRange', label: 'Period', view: () => import('./PeriodPick.svelte'), when: (v) => types[String(v.type)]?.period ?? true },
      { name: 'groupFullPath', label: 'Device groups', hint: 'Full paths, * for any characters, joined by commas', when: filtered },
      { name: 'deviceDisplayName', label: 'Devices', hint: 'Names, * for any characters, joined by commas', when: filtered },
      { name: 'level', label: 'Severity', control: 'choice', words: { all: 'All', 'error,critical': 'Error and critical', critical: 'Critical' }, when: alerts },
      { name: 'ackFilter', label: 'Acknowledged', words: { all: 'All', acked: 'Acked', nonacked: 'Not acked' }, when: alerts },
      { name: 'sdtFilter', label: 'In maintenance', words: { all: 'All', sdt: 'Only', nonsdt: 'Without' }, when: alerts },
      { name: 'activeOnly', label: 'Only those still active', when: alerts },
      { name: 'includePreexist', label: 'Also those that began before', hint: 'And were still active in the period', when: alerts },
      { name: 'summaryOnly', label: 'Only the counts', when: alerts },
      { name: 'hostsValType', label: 'Chosen by', words: { host: 'Device', group: 'Group' }, when: chosen },
      { name: 'hostsVal', label: 'Which', hint: 'Names of devices or full paths of groups, * for any characters, joined by commas', when: chosen },
      { name: 'properties', label: 'Properties', control: 'words', hint: 'A column each', placeholder: 'location', when: of('Host inventory') },
      { name: 'metrics', label: 'Measurements', view: () => import('./MetricPick.svelte'), when: of('Host metric trends') },
      { name: 'top10Only', label: 'Only the ten highest of each', when: of('Host metric trends') },
      { name: 'alertLevel', label: 'Down from', words: { warn: 'Warning', error: 'Error', critical: 'Critical' }, hint: 'An alert of that severity makes a device count as down', when: of('Alert SLA') },
      { name: 'excludeSDT', label: 'Leave maintenance out', when: of('Alert SLA') },
      { name: 'unmonitoredTime', label: 'Time nothing was measured', words: { 0: 'Down', 1: 'Left out', 2: 'Up' }, when: of('Alert SLA') },
      { name: 'excludeGlobal', label: 'Only those that differ', hint: 'From the thresholds of the datasource', when: of('Alert threshold') },
      { name: 'username', label: 'Who', hint: 'User names, * for any characters', when: of('Audit Log') },
      { name: 'filter', label: 'Words in what happened', when: of('Audit Log') },
    ] },
    { title: '3. Format', fields: [{ name: 'format', label: 'Format', words: { HTML: 'Page', PDF: 'PDF', XLSX: 'Excel', CSV: 'CSV' }, hint: 'A page opens here; the others are saved' }] },
    { title: '4. When', fields: [
      { name: 'schedule', label: 'Schedule', view: () => import('./SchedulePick.svelte') },
      { name: 'scheduleTimezone', label: 'Time zone', control: 'zone', hint: "Empty: the portal's", placeholder: 'Europe/Berlin' },
    ] },
    { title: '5. By mail', fields: [
      { name: 'delivery', label: 'Scheduled runs go out by mail', words: { none: 'No', email: 'Yes' } },
      { name: 'recipients', label: 'To', view: () => import('../settings/Recipients.svelte'), when: (v) => v.delivery === 'email' },
    ] },
    { title: 'Who sees it', fields: [{ name: 'groupId', label: 'Report group', control: 'ref', from: { path: '/report/groups', value: 'id', text: 'name', none: 'None' }, hint: 'Roles may hold rights on groups' }] },
  ],
  facts: (r) => [
    ['About', typeName(r.type)],
    ...(types[String(r.type)]?.period ? [['Period', rangeText(String(r.dateRange))] as [string, string]] : []),
    ['Format', String(r.format)],
    ['Schedule', `${scheduleText(String(r.schedule))}${r.schedule && r.scheduleTimezone ? `, ${String(r.scheduleTimezone)}` : ''}`],
    ...(r.nextGenerateOn ? [['Next run', exact(Number(r.nextGenerateOn))] as [string, string]] : []),
    ...(r.delivery === 'email' ? [['By mail', `to ${recipients(r)} ${recipients(r) === 1 ? 'recipient' : 'recipients'}`] as [string, string]] : []),
  ],
  first: () => import('./Runs.svelte'),
  locked: (r) => (r.userPermission === 'read' ? 'Your role may look at this report, but not change it.' : ''),
  goes: (r) => (Number(r.reportLinkNum) ? `Its ${Number(r.reportLinkNum) === 1 ? 'kept run goes' : `${Number(r.reportLinkNum)} kept runs go`} with it. This cannot be undone.` : 'This cannot be undone.'),
}
