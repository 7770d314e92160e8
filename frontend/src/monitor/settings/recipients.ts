import type { Kind } from './kind'
import { recipientText, type Recipient } from './stages'

const who = (r: unknown) => (r as Recipient[] | undefined)?.map(recipientText) ?? []

export const kind: Kind = {
  path: '/setting/recipientgroups', follows: ['recipientGroup'], one: 'recipient group', many: 'Recipient groups', sort: 'groupName',
  title: (r) => String(r.groupName),
  empty: 'A group is people and addresses that chains notify together.',
  columns: [
    { id: 'name', label: 'Group', width: 'minmax(112px, 1fr)', sort: 'groupName', cell: (r) => ({ text: String(r.groupName), strong: true }) },
    { id: 'who', label: 'Who', width: 'minmax(160px, 2.4fr)', cell: (r) => ({ text: who(r.recipients).join(', '), title: who(r.recipients).join('\n') }) },
    { id: 'description', label: 'Who they are', width: 'minmax(112px, 1.4fr)', cell: (r) => ({ text: String(r.description), quiet: true }), wide: true },
  ],
  blank: { recipients: [] },
  groups: [
    { title: '', fields: [{ name: 'groupName', label: 'Name', hint: 'Chains refer to it' }, { name: 'description', label: 'Who they are', control: 'text' }] },
    { title: 'Who is told', fields: [{ name: 'recipients', label: 'Recipients', view: () => import('./People.svelte') }] },
  ],
  goes: () => 'Chains that notify it must be given somebody else first.',
}
