import { number } from '../../ui/locale'
import { exact, span } from '../age'
import type { Cell } from '../list/cells'
import type { Kind, Row } from './kind'
import { text } from './text'

const t = text.collectors

const title = (row: Row) => String(row.description || row.hostname || t.nameless(String(row.id)))

function state(r: Row): Cell {
  if (r.isDown) return r.acked ? { text: t.states.downAcked, tone: 'warn' } : { text: t.states.down, tone: 'crit' }
  if (r.status === 1) return { text: t.states.running, tone: 'ok' }
  return { text: t.states.absent, quiet: true }
}

function heartbeat(r: Row): Cell {
  const at = Number(r.lastHeartbeatOn)
  if (r.id === 1) return { text: t.inPortal, quiet: true }
  return at ? { text: text.ago(span(Date.now() / 1000 - at)), title: exact(at) } : { text: t.never, quiet: true }
}

export const kind: Kind = {
  path: '/setting/collectors',
  follows: ['collector', 'collectorGroup'],
  one: t.one,
  many: t.many,
  sort: 'description',
  title,
  empty: t.empty,
  narrow: [
    { label: t.narrow.all, filter: '' },
    { label: t.narrow.down, filter: 'isDown:true' },
  ],
  columns: [
    {
      id: 'name',
      label: t.columns.name,
      width: 'minmax(128px, 1.6fr)',
      sort: 'description',
      cell: (r) => ({ text: title(r) }),
    },
    { id: 'state', label: t.columns.state, width: '120px', sort: 'isDown', cell: state },
    {
      id: 'host',
      label: t.columns.host,
      width: 'minmax(96px, 1fr)',
      sort: 'hostname',
      cell: (r) => ({ text: String(r.hostname || t.noHost), code: true }),
    },
    {
      id: 'system',
      label: t.columns.system,
      width: '112px',
      cell: (r) => ({ text: [r.platform, r.arch].filter(Boolean).join(' '), quiet: true }),
      wide: true,
    },
    {
      id: 'build',
      label: t.columns.build,
      width: '80px',
      cell: (r) => ({ text: String(r.build ?? ''), quiet: true }),
      wide: true,
    },
    {
      id: 'devices',
      label: t.columns.devices,
      width: '64px',
      number: true,
      cell: (r) => number(Number(r.numberOfHosts)),
    },
    { id: 'beat', label: t.columns.beat, width: '104px', sort: 'lastHeartbeatOn', cell: heartbeat, wide: true },
  ],
  groups: [
    {
      title: '',
      fields: [
        { name: 'description', label: t.fields.description, control: 'text', hint: t.hints.description },
        {
          name: 'collectorGroupId',
          label: t.fields.collectorGroupId,
          control: 'ref',
          from: { path: '/setting/collectors/groups', value: 'id', text: 'name' },
        },
      ],
    },
    {
      title: t.groups.down,
      fields: [
        {
          name: 'backupAgentId',
          label: t.fields.backupAgentId,
          control: 'ref',
          from: { path: '/setting/collectors', value: 'id', text: 'description', none: text.noneOf },
          hint: t.hints.backupAgentId,
        },
        { name: 'enableFailBack', label: t.fields.enableFailBack, hint: t.hints.enableFailBack },
        { name: 'resendIval', label: t.fields.resendIval, unit: text.units.minutes, hint: t.hints.resendIval },
        { name: 'suppressAlertClear', label: t.fields.suppressAlertClear },
      ],
    },
    {
      title: t.groups.more,
      fields: [
        {
          name: 'needAutoCreateCollectorDevice',
          label: t.fields.needAutoCreateCollectorDevice,
          hint: t.hints.needAutoCreateCollectorDevice,
        },
        { name: 'customProperties', label: t.fields.customProperties, control: 'pairs' },
      ],
    },
  ],
  facts: (r) => {
    const facts: [string, Cell | string][] = [
      [t.facts.state, state(r)],
      [t.facts.beat, heartbeat(r)],
      [t.facts.devices, number(Number(r.numberOfHosts))],
    ]
    if (r.acked) facts.push([t.facts.ackedBy, t.ackedBy(String(r.ackedBy), String(r.ackComment || ''))])
    const ahead = Number(r.clockOffset)
    if (Math.abs(ahead) >= 30)
      facts.push([t.facts.clock, { text: t.clock(ahead), tone: Math.abs(ahead) > 180 ? 'crit' : 'warn' }])
    if (r.refusedResults) facts.push([t.facts.refused, { text: number(Number(r.refusedResults)), tone: 'crit' }])
    return facts
  },
  above: () => import('./CollectorDown.svelte'),
  below: () => import('./Installer.svelte'),
  goes: (r) => t.goes(Number(r.numberOfHosts)),
}
