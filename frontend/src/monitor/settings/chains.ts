import type { Kind } from './kind'
import { periodText, recipientText, type Destination } from './stages'
import { text } from './text'

const t = text.chains

const ways = (value: unknown) => (value as Destination[] | undefined) ?? []
const stagesText = (d: Destination) =>
  d.stages.map((stage) => stage.map(recipientText).join(t.and) || t.wait).join(' → ')

export const kind: Kind = {
  path: '/setting/alert/chains',
  follows: ['escalatingChain', 'alertRule'],
  one: t.one,
  many: t.many,
  sort: 'name',
  title: (r) => String(r.name),
  empty: t.empty,
  columns: [
    {
      id: 'name',
      label: t.columns.name,
      width: 'minmax(112px, 1fr)',
      sort: 'name',
      cell: (r) => ({ text: String(r.name) }),
    },
    {
      id: 'stages',
      label: t.columns.stages,
      width: 'minmax(180px, 2.6fr)',
      cell: (r) => {
        const all = ways(r.destinations)
        return {
          text: all
            .map((d) => (all.length > 1 ? t.timed(periodText(d.period), stagesText(d)) : stagesText(d)))
            .join(' · '),
          title: all.map((d) => t.timed(periodText(d.period), stagesText(d))).join('\n'),
        }
      },
    },
    {
      id: 'busy',
      label: t.columns.busy,
      width: '96px',
      sort: 'inAlerting',
      cell: (r) => (r.inAlerting ? { text: t.under, tone: 'warn' } : { text: t.quiet, quiet: true }),
    },
  ],
  blank: { destinations: [{ type: 'single', stages: [[]] }], ccDestinations: [] },
  groups: [
    {
      title: '',
      fields: [
        { name: 'name', label: t.fields.name },
        { name: 'description', label: t.fields.description, control: 'text' },
      ],
    },
    {
      title: t.groups.stages,
      fields: [{ name: 'destinations', label: t.fields.destinations, view: () => import('./Stages.svelte') }],
    },
    {
      title: t.groups.always,
      fields: [{ name: 'ccDestinations', label: t.fields.ccDestinations, view: () => import('./Recipients.svelte') }],
    },
    {
      title: t.groups.limit,
      fields: [
        { name: 'enableThrottling', label: t.fields.enableThrottling },
        { name: 'throttlingAlerts', label: t.fields.throttlingAlerts, when: (v) => v.enableThrottling === true },
        {
          name: 'throttlingPeriod',
          label: t.fields.throttlingPeriod,
          unit: text.units.minutes,
          when: (v) => v.enableThrottling === true,
        },
      ],
    },
  ],
  goes: (r) => (r.inAlerting ? t.goes.busy : t.goes.quiet),
}
