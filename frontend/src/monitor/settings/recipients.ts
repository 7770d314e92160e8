import type { Kind } from './kind'
import { recipientText, type Recipient } from './stages'
import { text } from './text'

const t = text.recipients

const who = (r: unknown) => (r as Recipient[] | undefined)?.map(recipientText) ?? []

export const kind: Kind = {
  path: '/setting/recipientgroups',
  follows: ['recipientGroup'],
  one: t.one,
  many: t.many,
  sort: 'groupName',
  title: (r) => String(r.groupName),
  empty: t.empty,
  columns: [
    {
      id: 'name',
      label: t.columns.name,
      width: 'minmax(112px, 1fr)',
      sort: 'groupName',
      cell: (r) => ({ text: String(r.groupName) }),
    },
    {
      id: 'who',
      label: t.columns.who,
      width: 'minmax(160px, 2.4fr)',
      cell: (r) => ({ text: who(r.recipients).join(', '), title: who(r.recipients).join('\n') }),
    },
    {
      id: 'description',
      label: t.columns.description,
      width: 'minmax(112px, 1.4fr)',
      cell: (r) => ({ text: String(r.description), quiet: true }),
      wide: true,
    },
  ],
  blank: { recipients: [] },
  groups: [
    {
      title: '',
      fields: [
        { name: 'groupName', label: t.fields.groupName, hint: t.hints.groupName },
        { name: 'description', label: t.fields.description, control: 'text' },
      ],
    },
    {
      title: t.groups.who,
      fields: [{ name: 'recipients', label: t.fields.recipients, view: () => import('./People.svelte') }],
    },
  ],
  goes: () => t.goes,
}
