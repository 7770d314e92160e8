import type { Kind } from './kind'
import { periodText, recipientText, type Destination } from './stages'

const ways = (value: unknown) => (value as Destination[] | undefined) ?? []
const told = (d: Destination) => d.stages.map((stage) => stage.map(recipientText).join(' and ') || 'wait').join(' → ')

export const kind: Kind = {
  path: '/setting/alert/chains', follows: ['escalatingChain', 'alertRule'], one: 'escalation chain', many: 'Escalation chains', sort: 'name',
  title: (r) => String(r.name),
  empty: 'A chain says who is told of an alert, stage after stage, until somebody acknowledges it.',
  columns: [
    { id: 'name', label: 'Chain', width: 'minmax(112px, 1fr)', sort: 'name', cell: (r) => ({ text: String(r.name), strong: true }) },
    { id: 'stages', label: 'Who is told', width: 'minmax(180px, 2.6fr)', cell: (r) => {
      const all = ways(r.destinations)
      return { text: all.map((d) => (all.length > 1 ? `${periodText(d.period)}: ` : '') + told(d)).join(' · '), title: all.map((d) => `${periodText(d.period)}: ${told(d)}`).join('\n') }
    } },
    { id: 'busy', label: 'Now', width: '96px', sort: 'inAlerting', cell: (r) => (r.inAlerting ? { text: 'Under way', tone: 'warn' } : { text: 'quiet', quiet: true }) },
  ],
  blank: { destinations: [{ type: 'single', stages: [[]] }], ccDestinations: [] },
  groups: [
    { title: '', fields: [{ name: 'name', label: 'Name' }, { name: 'description', label: 'What it is for', control: 'text' }] },
    { title: 'Stages', fields: [{ name: 'destinations', label: 'Who is told, one stage after the other', view: () => import('./Stages.svelte') }] },
    { title: 'Always told', fields: [{ name: 'ccDestinations', label: 'Who gets every notice of every stage', view: () => import('./Recipients.svelte') }] },
    { title: 'Not too many', fields: [
      { name: 'enableThrottling', label: 'Limit how many notices go out' },
      { name: 'throttlingAlerts', label: 'Alerts sent at most', when: (v) => v.enableThrottling === true },
      { name: 'throttlingPeriod', label: 'Within', unit: 'minutes', when: (v) => v.enableThrottling === true },
    ] },
  ],
  goes: (r) => (r.inAlerting ? 'An active alert is on its way along it: nobody further is told.' : 'Alert rules that use it must be given another one first.'),
}
