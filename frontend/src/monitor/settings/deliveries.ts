import { exact, moment } from '../age'
import type { Cell } from '../list/cells'
import type { Kind, Row } from './kind'
import { text } from './text'

const t = text.deliveries

const states: Record<string, Cell> = {
  sent: { text: t.states.sent, tone: 'ok' },
  waiting: { text: t.states.waiting, icon: 'clock' },
  failed: { text: t.states.failed, tone: 'crit' },
  throttled: { text: t.states.throttled, tone: 'warn' },
  superseded: { text: t.states.superseded },
}
const state = (r: Row): Cell => states[String(r.state)] ?? { text: String(r.state) }

export const kind: Kind = {
  path: '/alert/deliveries',
  follows: ['delivery'],
  one: t.one,
  many: t.many,
  sort: '-createdOn',
  title: (r) => String(r.subject),
  empty: t.empty,
  narrow: [
    { label: t.narrow.all, filter: '' },
    { label: t.narrow.failed, filter: 'state:"failed"' },
    { label: t.narrow.throttled, filter: 'state:"throttled"' },
    { label: t.narrow.waiting, filter: 'state:"waiting"' },
  ],
  columns: [
    {
      id: 'at',
      label: t.columns.at,
      width: '104px',
      sort: 'createdOn',
      cell: (r) => ({ text: moment(Number(r.createdOn)), title: exact(Number(r.createdOn)) }),
    },
    { id: 'state', label: t.columns.state, width: '104px', sort: 'state', cell: state },
    {
      id: 'subject',
      label: t.columns.subject,
      width: 'minmax(140px, 2fr)',
      cell: (r) => ({ text: String(r.subject), title: String(r.subject) }),
    },
    { id: 'who', label: t.columns.who, width: 'minmax(112px, 1.2fr)', cell: (r) => String(r.recipient) },
    {
      id: 'chain',
      label: t.columns.chain,
      width: 'minmax(96px, 1fr)',
      cell: (r) => ({ text: r.chain ? t.stage(String(r.chain), String(r.stage)) : String(r.tells), quiet: true }),
      wide: true,
    },
    { id: 'tries', label: t.columns.tries, width: '48px', number: true, cell: (r) => String(r.attempts), wide: true },
  ],
  groups: [],
  facts: (r) => {
    const facts: [string, Cell | string][] = [
      [t.facts.state, state(r)],
      [t.facts.to, t.to(String(r.recipient), String(r.address))],
      [t.facts.written, exact(Number(r.createdOn))],
    ]
    if (r.sentOn) facts.push([t.facts.taken, exact(Number(r.sentOn))])
    if (r.state === 'waiting' && r.nextOn) facts.push([t.facts.next, exact(Number(r.nextOn))])
    facts.push([t.facts.tries, String(r.attempts)])
    if (r.error) facts.push([t.facts.why, { text: String(r.error), tone: 'crit' }])
    return facts
  },
  below: () => import('./DeliveryText.svelte'),
  acts: [
    {
      label: t.again,
      method: 'POST',
      path: '/alert/deliveries/1/retry',
      when: (r) => r.state === 'failed' || r.state === 'throttled',
      run: async (app, r) => {
        await app.client.rest.write('POST', `/alert/deliveries/${r.id}/retry`)
        return { text: t.goesTo(String(r.recipient)) }
      },
    },
  ],
}
