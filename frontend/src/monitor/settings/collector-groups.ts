import { number } from '../../ui/locale'
import type { Kind } from './kind'

export const kind: Kind = {
  path: '/setting/collectors/groups', follows: ['collectorGroup', 'collector'], one: 'collector group', many: 'Collector groups', sort: 'name',
  title: (r) => String(r.name),
  empty: 'A group holds collectors of one site or one purpose.',
  columns: [
    { id: 'name', label: 'Group', width: 'minmax(112px, 1fr)', sort: 'name', cell: (r) => ({ text: String(r.name), strong: true }) },
    { id: 'description', label: 'What they have in common', width: 'minmax(120px, 2fr)', cell: (r) => ({ text: String(r.description), quiet: true }) },
    { id: 'balance', label: 'Balanced', width: '80px', cell: (r) => (r.autoBalance ? 'yes' : { text: 'no', quiet: true }), wide: true },
    { id: 'collectors', label: 'Collectors', width: '80px', number: true, cell: (r) => String(r.numOfCollectors) },
    { id: 'devices', label: 'Devices', width: '72px', number: true, cell: (r) => number(Number(r.numOfHosts)) },
  ],
  groups: [
    { title: '', fields: [{ name: 'name', label: 'Name' }, { name: 'description', label: 'What they have in common', control: 'text' }] },
    { title: 'Spreading devices', fields: [
      { name: 'autoBalance', label: 'Spread devices over the collectors that run', hint: 'So that each has about as many instances' },
      { name: 'autoBalanceInstanceCountThreshold', label: 'Instances one collector may have', hint: '0: no limit', when: (v) => v.autoBalance === true },
    ] },
    { title: 'More', fields: [{ name: 'customProperties', label: 'Properties', control: 'pairs' }] },
  ],
  goes: (r) => (Number(r.numOfCollectors) ? `${Number(r.numOfCollectors)} collectors are in it; move them to another group first.` : 'This cannot be undone.'),
}
