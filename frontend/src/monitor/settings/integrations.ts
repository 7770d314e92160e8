import type { Values } from '../form/fields'
import { mayBeClear } from './clear'
import type { Kind } from './kind'
import { text } from './text'

const t = text.integrations

const mail = (v: Values) => v.type === 'smtp'
const hook = (v: Values) => v.type === 'http'

export const kind: Kind = {
  path: '/setting/integrations',
  follows: ['integration'],
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
      id: 'type',
      label: t.columns.type,
      width: '112px',
      sort: 'type',
      cell: (r) => (r.type === 'smtp' ? t.types.smtp : t.types.http),
    },
    {
      id: 'where',
      label: t.columns.where,
      width: 'minmax(140px, 2fr)',
      cell: (r) => ({
        text: r.type === 'smtp' ? `${String(r.host)}:${String(r.port)}` : String(r.url),
        code: true,
        quiet: true,
      }),
    },
    {
      id: 'description',
      label: t.columns.description,
      width: 'minmax(112px, 1.4fr)',
      cell: (r) => ({ text: String(r.description), quiet: true }),
      wide: true,
    },
  ],
  blank: { type: 'http' },
  groups: [
    {
      title: '',
      fields: [
        { name: 'type', label: t.fields.type, words: t.words.type },
        { name: 'name', label: t.fields.name, hint: t.hints.name },
        { name: 'description', label: t.fields.description, control: 'text' },
      ],
    },
    {
      title: t.groups.mail,
      fields: [
        { name: 'host', label: t.fields.host, when: mail, placeholder: t.examples.host },
        { name: 'port', label: t.fields.port, when: mail },
        { name: 'security', label: t.fields.security, words: t.words.security, when: mail },
        { name: 'username', label: t.fields.username, when: mail },
        { name: 'password', label: t.fields.password, control: 'secret', when: mail, hint: t.hints.password },
        { name: 'from', label: t.fields.from, when: mail, placeholder: t.examples.from },
      ],
    },
    {
      title: t.groups.hook,
      fields: [
        { name: 'url', label: t.fields.url, when: hook, placeholder: t.examples.url },
        { name: 'method', label: t.fields.method, when: hook },
        { name: 'headers', label: t.fields.headers, control: 'pairs', when: hook, hint: t.hints.headers },
        { name: 'secretHeader', label: t.fields.secretHeader, when: hook },
        { name: 'secret', label: t.fields.secret, control: 'secret', when: hook, hint: t.hints.secret },
        { name: 'signingKey', label: t.fields.signingKey, control: 'secret', when: hook, hint: t.hints.signingKey },
        {
          name: 'sendInClear',
          label: text.inClear.label,
          when: (v) => hook(v) && mayBeClear(v),
          hint: text.inClear.means,
        },
        { name: 'payload', label: t.fields.payload, control: 'long', when: hook, hint: t.hints.payload },
      ],
    },
    {
      title: t.groups.many,
      fields: [
        { name: 'groupAbove', label: t.fields.groupAbove, hint: t.hints.groupAbove },
        { name: 'groupWait', label: t.fields.groupWait, unit: text.units.seconds },
      ],
    },
  ],
  above: () => import('./InClear.svelte'),
  acts: [
    {
      label: t.test,
      method: 'POST',
      path: '/setting/integrations/1/test',
      when: () => true,
      run: async (app, r) => {
        const { state, error } = await app.client.rest.write<Values>('POST', `/setting/integrations/${r.id}/test`)
        return state === 'sent' ? { text: t.took(String(r.name)) } : { text: t.not(String(error)), bad: true }
      },
    },
  ],
  goes: () => t.goes,
}
