import type { App } from '../../app.svelte'
import type { Rows } from '../list/rows.svelte'
import type { Kind, Row } from './kind'
import { swap } from './priority'

const list = (value: unknown) => (value as string[] | undefined) ?? []
const glob = (value: unknown) => (String(value) === '*' ? '' : String(value))
const severity = { Critical: 'crit', Error: 'error', Warn: 'warn' } as const

/** What a rule is about, in a line. */
function about(r: Row): string {
  const parts = [list(r.deviceGroups).filter((g) => g !== '*').join(', '), list(r.devices).filter((d) => d !== '*').join(', '), [glob(r.datasource), glob(r.instance), glob(r.datapoint)].filter(Boolean).join(' › ')]
  return parts.filter(Boolean).join(' · ') || 'everything'
}

const near = (rows: Rows<Row>, row: Row, by: -1 | 1) => (rows.sort === 'priority' ? rows.at(rows.indexOf(row.id) + by) : undefined)

async function move(app: App, row: Row, rows: Rows<Row>, by: -1 | 1) {
  const other = near(rows, row, by)!
  await swap(app.client.rest, row, other)
  return { text: `${String(row.name)} is asked ${by < 0 ? 'before' : 'after'} ${String(other.name)} now` }
}

export const kind: Kind = {
  path: '/setting/alert/rules', follows: ['alertRule', 'escalatingChain'], one: 'alert rule', many: 'Alert rules', sort: 'priority',
  title: (r) => String(r.name),
  empty: 'A rule says which alerts go along which escalation chain. The first that fits counts.',
  columns: [
    { id: 'priority', label: 'Priority', width: '64px', sort: 'priority', number: true, cell: (r) => ({ text: String(r.priority), quiet: true }) },
    { id: 'name', label: 'Rule', width: 'minmax(112px, 1.2fr)', sort: 'name', cell: (r) => ({ text: String(r.name), strong: true }) },
    { id: 'level', label: 'Severity', width: '96px', sort: 'levelStr', cell: (r) => (r.levelStr === 'All' ? 'All' : { text: String(r.levelStr), tone: severity[r.levelStr as keyof typeof severity] }) },
    { id: 'about', label: 'Alerts of', width: 'minmax(112px, 2fr)', cell: (r) => ({ text: about(r), title: about(r) }), wide: true },
    { id: 'chain', label: 'Goes along', width: 'minmax(112px, 1.2fr)', cell: (r) => (r.escalatingChain as { name: string } | undefined)?.name ?? '' },
    { id: 'interval', label: 'Next stage', width: '88px', number: true, cell: (r) => (Number(r.escalationInterval) ? `${Number(r.escalationInterval)} min` : { text: 'none', quiet: true }), wide: true },
  ],
  blank: { devices: ['*'], deviceGroups: ['*'] },
  groups: [
    { title: '', fields: [
      { name: 'name', label: 'Name' },
      { name: 'priority', label: 'Priority', hint: 'Rules are asked from the lowest number on; the first that fits counts' },
    ] },
    { title: 'Which alerts', fields: [
      { name: 'levelStr', label: 'Severity', words: { All: 'All', Warn: 'Warning', Error: 'Error', Critical: 'Critical' } },
      { name: 'deviceGroups', label: 'Device groups', control: 'words', hint: 'Full paths, * for any characters', placeholder: 'Services/*' },
      { name: 'devices', label: 'Devices', control: 'words', hint: 'Names, * for any characters', placeholder: 'web-*' },
      { name: 'datasource', label: 'DataSource' }, { name: 'instance', label: 'Instance' }, { name: 'datapoint', label: 'Datapoint' },
    ] },
    { title: 'What happens', fields: [
      { name: 'escalatingChainId', label: 'Escalation chain', control: 'ref', from: { path: '/setting/alert/chains', value: 'id', text: 'name' } },
      { name: 'escalationInterval', label: 'To the next stage after', unit: 'minutes', hint: '0: only the first stage' },
      { name: 'suppressAlertClear', label: 'No notice when the alert clears' },
      { name: 'suppressAlertAckSdt', label: 'No notice of acknowledgements and maintenance' },
    ] },
  ],
  acts: [
    { label: 'Move up', method: 'PATCH', path: '/setting/alert/rules/1', when: (r, rows) => near(rows, r, -1) !== undefined, run: (app, r, rows) => move(app, r, rows, -1) },
    { label: 'Move down', method: 'PATCH', path: '/setting/alert/rules/1', when: (r, rows) => near(rows, r, 1) !== undefined, run: (app, r, rows) => move(app, r, rows, 1) },
  ],
  goes: (r) => `Its alerts go to the next rule that fits. Alerts along ${(r.escalatingChain as { name: string } | undefined)?.name ?? 'its chain'} stay on their way.`,
}
