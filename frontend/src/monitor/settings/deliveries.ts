import { exact, moment } from '../age'
import type { Cell } from '../list/cells'
import type { Kind, Row } from './kind'

const states: Record<string, Cell> = {
  sent: { text: 'Sent', tone: 'ok' }, waiting: { text: 'Waiting', icon: 'clock' }, failed: { text: 'Failed', tone: 'crit' }, throttled: { text: 'Held back', tone: 'warn' },
}
const state = (r: Row): Cell => states[String(r.state)] ?? { text: String(r.state) }

export const kind: Kind = {
  path: '/alert/deliveries', follows: ['delivery'], one: 'notice', many: 'Delivery log', sort: '-createdOn',
  title: (r) => String(r.subject),
  empty: 'Each notice of an alert and each mailed report is written down here. Alert rules say who is told.',
  narrow: [{ label: 'All', filter: '' }, { label: 'Failed', filter: 'state:"failed"' }, { label: 'Held back', filter: 'state:"throttled"' }, { label: 'Waiting', filter: 'state:"waiting"' }],
  columns: [
    { id: 'at', label: 'When', width: '104px', sort: 'createdOn', cell: (r) => ({ text: moment(Number(r.createdOn)), title: exact(Number(r.createdOn)) }) },
    { id: 'state', label: 'State', width: '104px', sort: 'state', cell: state },
    { id: 'subject', label: 'Notice', width: 'minmax(140px, 2fr)', cell: (r) => ({ text: String(r.subject), title: String(r.subject) }) },
    { id: 'who', label: 'To', width: 'minmax(112px, 1.2fr)', cell: (r) => String(r.recipient) },
    { id: 'chain', label: 'Chain', width: 'minmax(96px, 1fr)', cell: (r) => ({ text: r.chain ? `${String(r.chain)}, stage ${String(r.stage)}` : String(r.tells), quiet: true }), wide: true },
    { id: 'tries', label: 'Tries', width: '48px', number: true, cell: (r) => String(r.attempts), wide: true },
  ],
  groups: [],
  facts: (r) => {
    const facts: [string, Cell | string][] = [['State', state(r)], ['To', `${String(r.recipient)} (${String(r.address)})`], ['Written', exact(Number(r.createdOn))]]
    if (r.sentOn) facts.push(['Taken', exact(Number(r.sentOn))])
    if (r.state === 'waiting' && r.nextOn) facts.push(['Tried next', exact(Number(r.nextOn))])
    facts.push(['Tries', String(r.attempts)])
    if (r.error) facts.push(['Why', { text: String(r.error), tone: 'crit' }])
    return facts
  },
  below: () => import('./DeliveryText.svelte'),
  acts: [{
    label: 'Send again', method: 'POST', path: '/alert/deliveries/1/retry', when: (r) => r.state === 'failed' || r.state === 'throttled',
    run: async (app, r) => {
      await app.client.rest.write('POST', `/alert/deliveries/${r.id}/retry`)
      return { text: `It goes to ${String(r.recipient)} once more` }
    },
  }],
}
