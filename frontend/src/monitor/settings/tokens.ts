import { exact, moment } from '../age'
import type { Kind } from './kind'

export const kind: Kind = {
  path: '/setting/admins/apitokens', of: (r) => `/setting/admins/${String(r.adminId)}/apitokens`, follows: ['apiToken', 'admin'],
  one: 'API token', many: 'API tokens', sort: 'adminName',
  title: (row) => String(row.note || row.accessId),
  empty: 'A token lets a program act with the rights of its user.',
  columns: [
    { id: 'note', label: 'What it is for', width: 'minmax(120px, 1.6fr)', sort: 'note', cell: (r) => (r.note ? String(r.note) : { text: 'no note', quiet: true }) },
    { id: 'user', label: 'User', width: 'minmax(80px, 1fr)', sort: 'adminName', cell: (r) => ({ text: String(r.adminName), code: true }) },
    { id: 'access', label: 'Access ID', width: 'minmax(96px, 1fr)', cell: (r) => ({ text: String(r.accessId), code: true, quiet: true }), wide: true },
    { id: 'status', label: 'Status', width: '104px', sort: 'status', cell: (r) => (r.status === 1 ? { text: 'Suspended', tone: 'warn' } : { text: 'Active', tone: 'ok' }) },
    { id: 'used', label: 'Last used', width: '120px', sort: 'lastUsedOn', cell: (r) => (r.lastUsedOn ? { text: moment(Number(r.lastUsedOn)), title: exact(Number(r.lastUsedOn)) } : { text: 'never', quiet: true }) },
    { id: 'ip', label: 'From', width: '112px', cell: (r) => ({ text: String(r.lastAuthIp ?? ''), code: true, quiet: true }), wide: true },
  ],
  groups: [{ title: '', fields: [
    { name: 'note', label: 'What it is for', control: 'text' },
    { name: 'status', label: 'Status', words: { 2: 'Active', 1: 'Suspended' }, hint: 'A suspended token is refused, and can be taken up again' },
  ] }],
  adding: () => import('./AddToken.svelte'),
  facts: (r) => [
    ['User', { text: String(r.adminName), code: true }],
    ['Access ID', { text: String(r.accessId), code: true }],
    ['Made', `${exact(Number(r.createdOn))} by ${String(r.createdBy)}`],
    ['Last used', r.lastUsedOn ? `${exact(Number(r.lastUsedOn))} from ${String(r.lastAuthIp)}` : 'never'],
  ],
  goes: () => 'Programs that use it are refused from now on. This cannot be undone; suspending can.',
}
