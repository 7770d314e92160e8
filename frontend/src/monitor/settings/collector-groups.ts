import { number } from '../../ui/locale'
import type { Kind } from './kind'
import { text } from './text'

const t = text.collectorGroups

export const kind: Kind = {
  path: '/setting/collectors/groups',
  follows: ['collectorGroup', 'collector'],
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
      id: 'description',
      label: t.columns.description,
      width: 'minmax(120px, 2fr)',
      cell: (r) => ({ text: String(r.description), quiet: true }),
    },
    {
      id: 'balance',
      label: t.columns.balance,
      width: '80px',
      cell: (r) => (r.autoBalance ? t.yes : { text: t.no, quiet: true }),
      wide: true,
    },
    {
      id: 'collectors',
      label: t.columns.collectors,
      width: '80px',
      number: true,
      cell: (r) => String(r.numOfCollectors),
    },
    { id: 'devices', label: t.columns.devices, width: '72px', number: true, cell: (r) => number(Number(r.numOfHosts)) },
  ],
  groups: [
    {
      title: '',
      fields: [
        { name: 'name', label: t.fields.name },
        { name: 'description', label: t.fields.description, control: 'text' },
      ],
    },
    {
      title: t.groups.spreading,
      fields: [
        { name: 'autoBalance', label: t.fields.autoBalance, hint: t.hints.autoBalance },
        {
          name: 'autoBalanceInstanceCountThreshold',
          label: t.fields.autoBalanceInstanceCountThreshold,
          hint: t.hints.autoBalanceInstanceCountThreshold,
          when: (v) => v.autoBalance === true,
        },
      ],
    },
    {
      title: t.groups.more,
      fields: [{ name: 'customProperties', label: t.fields.customProperties, control: 'pairs' }],
    },
  ],
  goes: (r) => t.goes(Number(r.numOfCollectors)),
}
