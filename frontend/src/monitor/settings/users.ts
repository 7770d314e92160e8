import { exact, moment } from '../age'
import type { Kind, Row } from './kind'

const name = (row: Row) => [row.firstName, row.lastName].filter(Boolean).join(' ') || String(row.username)
const roles = (row: Row) => (row.roles as { name: string }[] | undefined)?.map((r) => r.name) ?? []

export const kind: Kind = {
  path: '/setting/admins', follows: ['admin', 'role', 'apiToken'], one: 'user', many: 'Users', sort: 'username',
  title: (row) => String(row.username),
  empty: 'A user can sign in, or acts by API tokens only.',
  columns: [
    { id: 'username', label: 'User name', width: 'minmax(96px, 1fr)', sort: 'username', cell: (r) => ({ text: String(r.username), code: true }) },
    { id: 'name', label: 'Name', width: 'minmax(96px, 1.2fr)', sort: 'lastName', cell: name, wide: true },
    { id: 'roles', label: 'Roles', width: 'minmax(112px, 1.2fr)', cell: (r) => ({ text: '', chips: roles(r) }) },
    { id: 'status', label: 'Status', width: '104px', sort: 'status', cell: (r) => (r.status === 'suspended' ? { text: 'Suspended', tone: 'warn' } : { text: r.apionly ? 'API only' : 'Active', tone: 'ok' }) },
    { id: 'email', label: 'Mail', width: 'minmax(120px, 1.4fr)', sort: 'email', cell: (r) => ({ text: String(r.email), quiet: true }), wide: true },
    { id: 'tokens', label: 'Tokens', width: '64px', number: true, cell: (r) => String((r.apiTokens as unknown[] | undefined)?.length || '–'), wide: true },
    { id: 'seen', label: 'Last sign-in', width: '112px', sort: 'lastLoginOn', cell: (r) => (r.lastLoginOn ? { text: moment(Number(r.lastLoginOn)), title: exact(Number(r.lastLoginOn)) } : { text: 'never', quiet: true }) },
  ],
  blank: { status: 'active', roles: [] },
  groups: [
    { title: 'Who it is', fields: [
      { name: 'username', label: 'User name', hint: 'To sign in with; no spaces, colons or slashes' },
      { name: 'firstName', label: 'Given name' },
      { name: 'lastName', label: 'Family name' },
      { name: 'email', label: 'Mail address' },
      { name: 'phone', label: 'Telephone' },
    ] },
    { title: 'What they may do', fields: [
      { name: 'roles', label: 'Roles', view: () => import('./RolePick.svelte') },
      { name: 'status', label: 'Status', words: { active: 'Active', suspended: 'Suspended' }, hint: 'Who is suspended cannot sign in, and their tokens stop' },
      { name: 'apionly', label: 'Only by API tokens', hint: 'Cannot sign in' },
    ] },
    { title: 'Password', fields: [
      { name: 'password', label: 'New password', control: 'secret', hint: 'At least 8 characters. Left empty, it stays as it is', when: (v) => v.apionly !== true },
    ] },
    { title: 'More', fields: [
      { name: 'timezone', label: 'Time zone', control: 'zone', hint: "Empty: the portal's", placeholder: 'Europe/Berlin' },
      { name: 'note', label: 'Note', control: 'long' },
    ] },
  ],
  facts: (r) => [
    ['Last sign-in', r.lastLoginOn ? `${exact(Number(r.lastLoginOn))}${r.lastAuthIp ? ` from ${String(r.lastAuthIp)}` : ''}` : 'never'],
    ['Added by', String(r.createdBy || 'system')],
  ],
  goes: (r) => {
    const tokens = (r.apiTokens as unknown[] | undefined)?.length ?? 0
    return `${name(r)} cannot sign in any more${tokens ? `, and ${tokens === 1 ? 'one API token stops' : `${tokens} API tokens stop`} at once` : ''}. This cannot be undone; suspending can.`
  },
}
