import type { App } from '../../state/app.svelte'
import type { Rows } from '../list/rows.svelte'
import type { Kind, Row } from './kind'
import { swap } from './priority'
import { text } from './text'

const t = text.rules

const list = (value: unknown) => (value as string[] | undefined) ?? []
const glob = (value: unknown) => (String(value) === '*' ? '' : String(value))
const severity = { Critical: 'crit', Error: 'error', Warn: 'warn' } as const

/** Describes the alerts of a rule in one line. */
function about(r: Row): string {
  const parts = [
    list(r.deviceGroups)
      .filter((g) => g !== '*')
      .join(', '),
    list(r.devices)
      .filter((d) => d !== '*')
      .join(', '),
    [glob(r.datasource), glob(r.instance), glob(r.datapoint)].filter(Boolean).join(' › '),
  ]
  return parts.filter(Boolean).join(' · ') || t.everything
}

const near = (rows: Rows<Row>, row: Row, by: -1 | 1) =>
  rows.sort === 'priority' ? rows.at(rows.indexOf(row.id) + by) : undefined

async function move(app: App, row: Row, rows: Rows<Row>, by: -1 | 1) {
  const other = near(rows, row, by)!
  await swap(app.client.rest, row, other)
  return { text: (by < 0 ? t.before : t.after)(String(row.name), String(other.name)) }
}

export const kind: Kind = {
  path: '/setting/alert/rules',
  follows: ['alertRule', 'escalatingChain'],
  one: t.one,
  many: t.many,
  sort: 'priority',
  title: (r) => String(r.name),
  empty: t.empty,
  columns: [
    {
      id: 'priority',
      label: t.columns.priority,
      width: '64px',
      sort: 'priority',
      number: true,
      cell: (r) => ({ text: String(r.priority), quiet: true }),
    },
    {
      id: 'name',
      label: t.columns.name,
      width: 'minmax(112px, 1.2fr)',
      sort: 'name',
      cell: (r) => ({ text: String(r.name) }),
    },
    {
      id: 'level',
      label: t.columns.level,
      width: '96px',
      sort: 'levelStr',
      cell: (r) =>
        r.levelStr === 'All'
          ? t.all
          : {
              text: t.words.levelStr[r.levelStr as keyof typeof severity],
              tone: severity[r.levelStr as keyof typeof severity],
            },
    },
    {
      id: 'about',
      label: t.columns.about,
      width: 'minmax(112px, 2fr)',
      cell: (r) => ({ text: about(r), title: about(r) }),
      wide: true,
    },
    {
      id: 'chain',
      label: t.columns.chain,
      width: 'minmax(112px, 1.2fr)',
      cell: (r) => (r.escalatingChain as { name: string } | undefined)?.name ?? '',
    },
    {
      id: 'interval',
      label: t.columns.interval,
      width: '88px',
      number: true,
      cell: (r) =>
        Number(r.escalationInterval) ? t.minutes(Number(r.escalationInterval)) : { text: t.noNext, quiet: true },
      wide: true,
    },
  ],
  blank: { devices: ['*'], deviceGroups: ['*'] },
  groups: [
    {
      title: '',
      fields: [
        { name: 'name', label: t.fields.name },
        { name: 'priority', label: t.fields.priority, hint: t.hints.priority },
      ],
    },
    {
      title: t.groups.which,
      fields: [
        { name: 'levelStr', label: t.fields.levelStr, words: t.words.levelStr },
        {
          name: 'deviceGroups',
          label: t.fields.deviceGroups,
          control: 'words',
          hint: t.hints.deviceGroups,
          placeholder: t.examples.deviceGroups,
        },
        {
          name: 'devices',
          label: t.fields.devices,
          control: 'words',
          hint: t.hints.devices,
          placeholder: t.examples.devices,
        },
        { name: 'datasource', label: t.fields.datasource },
        { name: 'instance', label: t.fields.instance },
        { name: 'datapoint', label: t.fields.datapoint },
      ],
    },
    {
      title: t.groups.what,
      fields: [
        {
          name: 'escalatingChainId',
          label: t.fields.escalatingChainId,
          control: 'ref',
          from: { path: '/setting/alert/chains', value: 'id', text: 'name' },
        },
        {
          name: 'escalationInterval',
          label: t.fields.escalationInterval,
          unit: text.units.minutes,
          hint: t.hints.escalationInterval,
        },
        { name: 'suppressAlertClear', label: t.fields.suppressAlertClear },
        { name: 'suppressAlertAckSdt', label: t.fields.suppressAlertAckSdt },
      ],
    },
  ],
  acts: [
    {
      label: t.up,
      method: 'PATCH',
      path: '/setting/alert/rules/1',
      when: (r, rows) => near(rows, r, -1) !== undefined,
      run: (app, r, rows) => move(app, r, rows, -1),
    },
    {
      label: t.down,
      method: 'PATCH',
      path: '/setting/alert/rules/1',
      when: (r, rows) => near(rows, r, 1) !== undefined,
      run: (app, r, rows) => move(app, r, rows, 1),
    },
  ],
  goes: (r) => t.goes((r.escalatingChain as { name: string } | undefined)?.name ?? ''),
}
