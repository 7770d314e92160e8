import { number } from '../../ui/locale'
import { exact, span } from '../age'
import type { Cell } from '../list/cells'
import type { Kind, Row } from './kind'

const title = (row: Row) => String(row.description || row.hostname || `Collector ${row.id}`)

function state(r: Row): Cell {
  if (r.isDown) return r.acked ? { text: 'Down, acked', tone: 'warn' } : { text: 'Down', tone: 'crit' }
  if (r.status === 1) return { text: 'Running', tone: 'ok' }
  return { text: 'Not installed', quiet: true }
}

function heartbeat(r: Row): Cell {
  const at = Number(r.lastHeartbeatOn)
  if (r.id === 1) return { text: 'in the portal', quiet: true }
  return at ? { text: `${span(Date.now() / 1000 - at)} ago`, title: exact(at) } : { text: 'never', quiet: true }
}

export const kind: Kind = {
  path: '/setting/collectors', follows: ['collector', 'collectorGroup'], one: 'collector', many: 'Collectors', sort: 'description',
  title,
  empty: 'A collector runs the checks of devices near it.',
  narrow: [{ label: 'All', filter: '' }, { label: 'Down', filter: 'isDown:true' }],
  columns: [
    { id: 'name', label: 'Collector', width: 'minmax(128px, 1.6fr)', sort: 'description', cell: (r) => ({ text: title(r), strong: true }) },
    { id: 'state', label: 'State', width: '120px', sort: 'isDown', cell: state },
    { id: 'host', label: 'Machine', width: 'minmax(96px, 1fr)', sort: 'hostname', cell: (r) => ({ text: String(r.hostname || '–'), code: true }) },
    { id: 'system', label: 'System', width: '112px', cell: (r) => ({ text: [r.platform, r.arch].filter(Boolean).join(' '), quiet: true }), wide: true },
    { id: 'build', label: 'Version', width: '80px', cell: (r) => ({ text: String(r.build ?? ''), quiet: true }), wide: true },
    { id: 'devices', label: 'Devices', width: '64px', number: true, cell: (r) => number(Number(r.numberOfHosts)) },
    { id: 'beat', label: 'Heartbeat', width: '104px', sort: 'lastHeartbeatOn', cell: heartbeat, wide: true },
  ],
  groups: [
    { title: '', fields: [
      { name: 'description', label: 'Name', control: 'text', hint: 'What it is called in lists' },
      { name: 'collectorGroupId', label: 'Group', control: 'ref', from: { path: '/setting/collectors/groups', value: 'id', text: 'name' } },
    ] },
    { title: 'While it is down', fields: [
      { name: 'backupAgentId', label: 'Backup collector', control: 'ref', from: { path: '/setting/collectors', value: 'id', text: 'description', none: 'None' }, hint: 'Takes its devices over until it is back' },
      { name: 'enableFailBack', label: 'Give devices back', hint: 'As soon as it runs again' },
      { name: 'resendIval', label: 'Notify again every', unit: 'minutes', hint: '0: only once' },
      { name: 'suppressAlertClear', label: 'No notice when it is back' },
    ] },
    { title: 'More', fields: [
      { name: 'needAutoCreateCollectorDevice', label: 'Watch its own machine', hint: 'Adds the machine it runs on as a device' },
      { name: 'customProperties', label: 'Properties', control: 'pairs' },
    ] },
  ],
  facts: (r) => {
    const facts: [string, Cell | string][] = [['State', state(r)], ['Heartbeat', heartbeat(r)], ['Devices', number(Number(r.numberOfHosts))]]
    if (r.acked) facts.push(['Taken on by', `${String(r.ackedBy)}${r.ackComment ? `: ${String(r.ackComment)}` : ''}`])
    return facts
  },
  above: () => import('./CollectorDown.svelte'),
  below: () => import('./Installer.svelte'),
  goes: (r) => (Number(r.numberOfHosts) ? `It looks after ${Number(r.numberOfHosts)} devices; give them to another one first.` : 'Where it is installed, it is refused from now on.'),
}
