import { exact, moment } from '../age'
import type { Values } from '../form/fields'
import type { Kind, Row } from './kind'
import { text } from './text'

const t = text.users

const name = (row: Row) => [row.firstName, row.lastName].filter(Boolean).join(' ') || String(row.username)
const roles = (row: Row) => (row.roles as { name: string }[] | undefined)?.map((r) => r.name) ?? []

export const kind: Kind = {
  path: '/setting/admins',
  follows: ['admin', 'role', 'apiToken'],
  one: t.one,
  many: t.many,
  sort: 'username',
  title: (row) => String(row.username),
  empty: t.empty,
  columns: [
    {
      id: 'username',
      label: t.columns.username,
      width: 'minmax(96px, 1fr)',
      sort: 'username',
      cell: (r) => ({ text: String(r.username), code: true }),
    },
    { id: 'name', label: t.columns.name, width: 'minmax(96px, 1.2fr)', sort: 'lastName', cell: name, wide: true },
    {
      id: 'roles',
      label: t.columns.roles,
      width: 'minmax(112px, 1.2fr)',
      cell: (r) => ({ text: '', chips: roles(r) }),
    },
    {
      id: 'status',
      label: t.columns.status,
      width: '104px',
      sort: 'status',
      cell: (r) =>
        r.status === 'suspended'
          ? { text: t.states.suspended, tone: 'warn' }
          : { text: r.apionly ? t.states.apiOnly : t.states.active, tone: 'ok' },
    },
    {
      id: 'email',
      label: t.columns.email,
      width: 'minmax(120px, 2fr)',
      sort: 'email',
      cell: (r) => ({ text: String(r.email), quiet: true }),
      wide: true,
    },
    {
      id: 'tokens',
      label: t.columns.tokens,
      width: '64px',
      number: true,
      cell: (r) => String((r.apiTokens as unknown[] | undefined)?.length || t.noTokens),
      wide: true,
    },
    {
      id: 'seen',
      label: t.columns.seen,
      width: '112px',
      sort: 'lastLoginOn',
      cell: (r) =>
        r.lastLoginOn
          ? { text: moment(Number(r.lastLoginOn)), title: exact(Number(r.lastLoginOn)) }
          : { text: t.never, quiet: true },
    },
  ],
  blank: { status: 'active', roles: [] },
  groups: [
    {
      title: t.groups.who,
      fields: [
        { name: 'username', label: t.fields.username, hint: t.hints.username },
        { name: 'firstName', label: t.fields.firstName },
        { name: 'lastName', label: t.fields.lastName },
        { name: 'email', label: t.fields.email },
        { name: 'phone', label: t.fields.phone },
      ],
    },
    {
      title: t.groups.may,
      fields: [
        { name: 'roles', label: t.fields.roles, view: () => import('./RolePick.svelte') },
        { name: 'status', label: t.fields.status, words: t.words.status, hint: t.hints.status },
        { name: 'apionly', label: t.fields.apionly, hint: t.hints.apionly },
      ],
    },
    {
      title: t.groups.password,
      fields: [
        {
          name: 'password',
          label: t.fields.firstPassword,
          control: 'secret',
          hint: t.hints.firstPassword,
          required: true,
          only: 'new',
          when: (v) => v.apionly !== true,
        },
        {
          name: 'password',
          label: t.fields.password,
          control: 'secret',
          hint: t.hints.password,
          only: 'old',
          when: (v) => v.apionly !== true,
        },
        {
          name: 'forcePasswordChange',
          label: t.fields.forcePasswordChange,
          hint: t.hints.forcePasswordChange,
          when: (v) => v.apionly !== true,
        },
        {
          name: 'twoFAEnabled',
          label: t.fields.twoFAEnabled,
          hint: t.hints.twoFAEnabled,
          when: (v) => v.apionly !== true,
        },
        {
          name: 'oidcSubject',
          label: t.fields.oidcSubject,
          hint: t.hints.oidcSubject,
          when: (v) => v.apionly !== true,
        },
      ],
    },
    {
      title: t.groups.more,
      fields: [
        {
          name: 'timezone',
          label: t.fields.timezone,
          control: 'zone',
          hint: t.hints.timezone,
          placeholder: t.examples.timezone,
        },
        { name: 'note', label: t.fields.note, control: 'long' },
      ],
    },
  ],
  facts: (r) => [
    [
      t.facts.seen,
      !r.lastLoginOn
        ? t.never
        : r.lastAuthIp
          ? t.from(exact(Number(r.lastLoginOn)), String(r.lastAuthIp))
          : exact(Number(r.lastLoginOn)),
    ],
    [t.facts.addedBy, String(r.createdBy || t.system)],
  ],
  acts: [
    {
      label: t.reset2fa,
      method: 'POST',
      path: '/setting/admins/1/reset2fa',
      when: (r) => r.twoFAEnabled === true,
      run: async (app, r) => {
        await app.client.rest.write<Values>('POST', `/setting/admins/${r.id}/reset2fa`)
        return { text: t.was2faReset(String(r.username)) }
      },
    },
  ],
  goes: (r) => t.goes(name(r), (r.apiTokens as unknown[] | undefined)?.length ?? 0),
}
