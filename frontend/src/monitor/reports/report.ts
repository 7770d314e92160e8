import { weekdayMoment } from '../../ui/locale'
import { moment, zoned } from '../age'
import type { Cell } from '../list/cells'
import type { FieldPlan } from '../form/fields'
import type { Kind, Row } from '../settings/kind'
import { scheduleText } from './cron'
import { rangeText } from './ranges'
import { hasField, typeIcon, typeName } from './types.svelte'
import { text } from './text'

/** Fields that only some types have. */
const ofTypes = (plans: FieldPlan[]): FieldPlan[] =>
  plans.map((plan) => ({ ...plan, when: (v) => hasField(v.type, plan.name) }))

const next = (r: Row): Cell =>
  r.nextGenerateOn
    ? { text: moment(Number(r.nextGenerateOn)), title: zoned(Number(r.nextGenerateOn)) }
    : { text: text.notPlanned, quiet: true }
const last = (r: Row): Cell =>
  r.lastGenerateOn
    ? { text: moment(Number(r.lastGenerateOn)), title: zoned(Number(r.lastGenerateOn)) }
    : { text: text.never, quiet: true }
/** Formats the schedule of a report, with its time zone if it has its own. */
function scheduled(r: Row): string {
  const words = scheduleText(String(r.schedule))
  return r.schedule && r.scheduleTimezone ? text.zoned(words, String(r.scheduleTimezone)) : words
}
/** Fields that limit a report to devices, with a pattern for all of them. */
const scopes = ['groupFullPath', 'deviceDisplayName', 'hostsVal'] as const
const recipients = (r: Row) => (r.recipients as unknown[] | undefined)?.length ?? 0

export const kind: Kind = {
  path: '/report/reports',
  follows: ['report', 'reportTask', 'reportGroup'],
  one: text.one,
  many: text.many,
  sort: 'name',
  title: (r) => String(r.name),
  empty: text.empty,
  columns: [
    {
      id: 'name',
      label: text.columns.name,
      width: 'minmax(144px, 1.4fr)',
      sort: 'name',
      cell: (r) => ({ text: String(r.name) }),
    },
    {
      id: 'type',
      label: text.columns.type,
      width: 'minmax(96px, .8fr)',
      sort: 'type',
      cell: (r) => ({ text: typeName(r.type), icon: typeIcon(r.type) }),
    },
    {
      id: 'period',
      label: text.columns.period,
      width: 'minmax(112px, 1fr)',
      cell: (r) => (hasField(r.type, 'dateRange') ? rangeText(String(r.dateRange)) : { text: text.asNow, quiet: true }),
      wide: true,
    },
    {
      id: 'format',
      label: text.columns.format,
      width: '64px',
      sort: 'format',
      cell: (r) => ({ text: String(r.format), code: true }),
    },
    {
      id: 'schedule',
      label: text.columns.schedule,
      width: 'minmax(120px, 1.8fr)',
      cell: (r) => (r.schedule ? { text: scheduled(r), title: scheduled(r) } : { text: text.onDemand, quiet: true }),
      wide: true,
    },
    { id: 'next', label: text.columns.next, width: '112px', sort: 'nextGenerateOn', cell: next, wide: true },
    { id: 'last', label: text.columns.last, width: '112px', cell: last },
  ],
  blank: { type: 'Alert', name: '', dateRange: 'Last 7 days', format: 'HTML' },
  groups: [
    {
      title: text.groups.about,
      fields: [
        { name: 'type', label: text.fields.type, view: () => import('./TypePick.svelte') },
        { name: 'name', label: text.fields.name, hint: text.hints.name },
        { name: 'description', label: text.fields.description, control: 'text' },
      ],
    },
    {
      title: text.groups.which,
      fields: ofTypes([
        {
          name: 'dateRange',
          label: text.fields.dateRange,
          view: () => import('./PeriodPick.svelte'),
        },
        {
          name: 'groupFullPath',
          label: text.fields.groupFullPath,
          hint: text.hints.names,
          view: () => import('./GroupNames.svelte'),
        },
        {
          name: 'deviceDisplayName',
          label: text.fields.deviceDisplayName,
          hint: text.hints.names,
          view: () => import('./NamesPick.svelte'),
        },
        { name: 'level', label: text.fields.level, control: 'choice', words: text.words.level },
        { name: 'ackFilter', label: text.fields.ackFilter, words: text.words.ackFilter },
        { name: 'sdtFilter', label: text.fields.sdtFilter, words: text.words.sdtFilter },
        { name: 'activeOnly', label: text.fields.activeOnly },
        { name: 'includePreexist', label: text.fields.includePreexist, hint: text.hints.includePreexist },
        { name: 'summaryOnly', label: text.fields.summaryOnly },
        { name: 'hostsValType', label: text.fields.hostsValType, words: text.words.hostsValType },
        {
          name: 'hostsVal',
          label: text.fields.hostsVal,
          hint: text.hints.names,
          view: () => import('./NamesPick.svelte'),
        },
        {
          name: 'properties',
          label: text.fields.properties,
          control: 'words',
          hint: text.hints.properties,
          placeholder: text.examples.properties,
        },
        {
          name: 'metrics',
          label: text.fields.metrics,
          view: () => import('./MetricPick.svelte'),
        },
        { name: 'top10Only', label: text.fields.top10Only },
        {
          name: 'alertLevel',
          label: text.fields.alertLevel,
          words: text.words.alertLevel,
          hint: text.hints.alertLevel,
        },
        { name: 'excludeSDT', label: text.fields.excludeSDT },
        {
          name: 'unmonitoredTime',
          label: text.fields.unmonitoredTime,
          words: text.words.unmonitoredTime,
        },
        {
          name: 'excludeGlobal',
          label: text.fields.excludeGlobal,
          hint: text.hints.excludeGlobal,
        },
        { name: 'username', label: text.fields.username, hint: text.hints.username },
        { name: 'filter', label: text.fields.filter },
      ]),
    },
    {
      title: text.groups.format,
      fields: [{ name: 'format', label: text.fields.format, words: text.words.format, hint: text.hints.format }],
    },
    {
      title: text.groups.when,
      fields: [
        { name: 'schedule', label: text.fields.schedule, view: () => import('./SchedulePick.svelte') },
        {
          name: 'scheduleTimezone',
          label: text.fields.scheduleTimezone,
          control: 'zone',
          hint: text.hints.scheduleTimezone,
          placeholder: text.examples.scheduleTimezone,
        },
      ],
    },
    {
      title: text.groups.mail,
      fields: [
        { name: 'delivery', label: text.fields.delivery, words: text.words.delivery },
        {
          name: 'recipients',
          label: text.fields.recipients,
          view: () => import('../settings/Recipients.svelte'),
          when: (v) => v.delivery === 'email',
        },
      ],
    },
    {
      title: text.groups.sees,
      fields: [
        {
          name: 'groupId',
          label: text.fields.groupId,
          control: 'ref',
          from: { path: '/report/groups', value: 'id', text: 'name', none: text.noneOf },
          hint: text.hints.groupId,
        },
      ],
    },
  ],
  facts: (r) => [
    [text.facts.type, typeName(r.type)],
    ...(hasField(r.type, 'dateRange') ? [[text.facts.period, rangeText(String(r.dateRange))] as [string, string]] : []),
    ...scopes.flatMap((name): [string, string][] =>
      hasField(r.type, name) && r[name] && r[name] !== '*' ? [[text.fields[name], String(r[name])]] : [],
    ),
    [text.facts.format, String(r.format)],
    [text.facts.schedule, scheduled(r)],
    ...(r.nextGenerateOn
      ? [
          [
            text.facts.next,
            r.scheduleTimezone
              ? weekdayMoment(Number(r.nextGenerateOn) * 1000, String(r.scheduleTimezone))
              : zoned(Number(r.nextGenerateOn)),
          ] as [string, string],
        ]
      : []),
    [text.facts.zone, String(r.scheduleTimezone || text.portalZone)],
    ...(r.delivery === 'email' ? [[text.facts.mail, text.to(recipients(r))] as [string, string]] : []),
  ],
  first: () => import('./Runs.svelte'),
  locked: (r) => (r.userPermission === 'read' ? text.locked : ''),
  goes: (r) => text.goes(Number(r.reportLinkNum)),
}
