import type { Kind, Row } from './kind'
import { summary, type Privilege } from './privileges'

const may = (row: Row) => summary((row.privileges as Privilege[] | undefined) ?? [])

export const kind: Kind = {
  path: '/setting/roles', follows: ['role', 'admin'], one: 'role', many: 'Roles', sort: 'name',
  title: (row) => String(row.name),
  empty: 'A role says what its users may see and do.',
  columns: [
    { id: 'name', label: 'Role', width: 'minmax(104px, 1fr)', sort: 'name', cell: (r) => ({ text: String(r.name), strong: true }) },
    { id: 'may', label: 'May', width: 'minmax(160px, 2.4fr)', cell: (r) => ({ text: may(r), title: may(r) }) },
    { id: 'description', label: 'What it is for', width: 'minmax(120px, 2fr)', cell: (r) => ({ text: String(r.description), quiet: true }), wide: true },
    { id: 'users', label: 'Users', width: '56px', number: true, cell: (r) => String(r.associatedUserCount) },
  ],
  blank: { privileges: [{ objectType: 'deviceGroup', objectId: '*', operation: 'read' }] },
  groups: [
    { title: '', fields: [
      { name: 'name', label: 'Name' },
      { name: 'description', label: 'What it is for', control: 'text' },
    ] },
    { title: 'What its users may do', fields: [
      { name: 'privileges', label: 'Privileges', view: () => import('./Privileges.svelte'), hint: 'A right on a group holds for the groups inside it too. Ack includes looking, changing includes both.' },
    ] },
  ],
  locked: (r) => (r.id === 1 ? 'The administrator role always may do everything. Make another role instead.' : ''),
  goes: (r) => (Number(r.associatedUserCount) ? `${Number(r.associatedUserCount)} users hold it; give them another role first.` : 'Nobody holds it. This cannot be undone.'),
}
