import type { Kind, Row } from './kind'
import { summary, type Privilege } from './privileges'
import { text } from './text'

const t = text.roles

const may = (row: Row) => summary((row.privileges as Privilege[] | undefined) ?? [])

export const kind: Kind = {
  path: '/setting/roles',
  follows: ['role', 'admin'],
  one: t.one,
  many: t.many,
  sort: 'name',
  title: (row) => String(row.name),
  empty: t.empty,
  columns: [
    {
      id: 'name',
      label: t.columns.name,
      width: 'minmax(104px, 1fr)',
      sort: 'name',
      cell: (r) => ({ text: String(r.name) }),
    },
    { id: 'may', label: t.columns.may, width: 'minmax(160px, 2.4fr)', cell: (r) => ({ text: may(r), title: may(r) }) },
    {
      id: 'description',
      label: t.columns.description,
      width: 'minmax(120px, 2fr)',
      cell: (r) => ({ text: String(r.description), quiet: true }),
      wide: true,
    },
    { id: 'users', label: t.columns.users, width: '56px', number: true, cell: (r) => String(r.associatedUserCount) },
  ],
  blank: { privileges: [{ objectType: 'deviceGroup', objectId: '*', operation: 'read' }] },
  groups: [
    {
      title: '',
      fields: [
        { name: 'name', label: t.fields.name },
        { name: 'description', label: t.fields.description, control: 'text' },
      ],
    },
    {
      title: t.groups.may,
      fields: [
        {
          name: 'privileges',
          label: t.fields.privileges,
          view: () => import('./Privileges.svelte'),
          hint: t.hints.privileges,
        },
      ],
    },
  ],
  locked: (r) => (r.id === 1 ? t.locked : ''),
  goes: (r) => t.goes(Number(r.associatedUserCount)),
}
