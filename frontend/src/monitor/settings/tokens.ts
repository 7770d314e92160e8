import { exact, moment } from '../age'
import type { Kind } from './kind'
import { text } from './text'

const t = text.tokens

export const kind: Kind = {
  path: '/setting/admins/apitokens',
  of: (r) => `/setting/admins/${String(r.adminId)}/apitokens`,
  follows: ['apiToken', 'admin'],
  one: t.one,
  many: t.many,
  sort: 'adminName',
  title: (row) => String(row.note || row.accessId),
  empty: t.empty,
  columns: [
    {
      id: 'note',
      label: t.columns.note,
      width: 'minmax(120px, 1.6fr)',
      sort: 'note',
      cell: (r) => (r.note ? String(r.note) : { text: t.noNote, quiet: true }),
    },
    {
      id: 'user',
      label: t.columns.user,
      width: 'minmax(80px, 1fr)',
      sort: 'adminName',
      cell: (r) => ({ text: String(r.adminName), code: true }),
    },
    {
      id: 'access',
      label: t.columns.access,
      width: 'minmax(96px, 1fr)',
      cell: (r) => ({ text: String(r.accessId), code: true, quiet: true }),
      wide: true,
    },
    {
      id: 'status',
      label: t.columns.status,
      width: '104px',
      sort: 'status',
      cell: (r) =>
        r.status === 1 ? { text: t.states.suspended, tone: 'warn' } : { text: t.states.active, tone: 'ok' },
    },
    {
      id: 'used',
      label: t.columns.used,
      width: '120px',
      sort: 'lastUsedOn',
      cell: (r) =>
        r.lastUsedOn
          ? { text: moment(Number(r.lastUsedOn)), title: exact(Number(r.lastUsedOn)) }
          : { text: t.never, quiet: true },
    },
    {
      id: 'expires',
      label: t.columns.expires,
      width: '120px',
      sort: 'expiresOn',
      cell: (r) =>
        r.expiresOn
          ? {
              text: moment(Number(r.expiresOn)),
              title: exact(Number(r.expiresOn)),
              tone: Number(r.expiresOn) * 1000 < Date.now() ? 'warn' : undefined,
            }
          : { text: t.never, quiet: true },
      wide: true,
    },
    {
      id: 'ip',
      label: t.columns.ip,
      width: '112px',
      cell: (r) => ({ text: String(r.lastAuthIp ?? ''), code: true, quiet: true }),
      wide: true,
    },
  ],
  groups: [
    {
      title: '',
      fields: [
        { name: 'note', label: t.fields.note, control: 'text' },
        { name: 'status', label: t.fields.status, words: t.words.status, hint: t.hints.status },
      ],
    },
  ],
  adding: () => import('./AddToken.svelte'),
  facts: (r) => [
    [t.facts.user, { text: String(r.adminName), code: true }],
    [t.facts.access, { text: String(r.accessId), code: true }],
    [t.facts.created, t.by(exact(Number(r.createdOn)), String(r.createdBy))],
    [t.facts.used, r.lastUsedOn ? t.from(exact(Number(r.lastUsedOn)), String(r.lastAuthIp)) : t.never],
  ],
  goes: () => t.goes,
}
