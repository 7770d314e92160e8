import type { Values } from '../form/fields'
import type { Kind } from './kind'

const mail = (v: Values) => v.type === 'smtp'
const hook = (v: Values) => v.type === 'http'

export const kind: Kind = {
  path: '/setting/integrations', follows: ['integration'], one: 'integration', many: 'Integrations', sort: 'name',
  title: (r) => String(r.name),
  empty: 'An integration is a way out of the portal: a mail server, or a web hook.',
  columns: [
    { id: 'name', label: 'Name', width: 'minmax(112px, 1fr)', sort: 'name', cell: (r) => ({ text: String(r.name), strong: true }) },
    { id: 'type', label: 'Type', width: '112px', sort: 'type', cell: (r) => (r.type === 'smtp' ? 'Mail server' : 'Web hook') },
    { id: 'where', label: 'Where', width: 'minmax(140px, 2fr)', cell: (r) => ({ text: r.type === 'smtp' ? `${String(r.host)}:${String(r.port)}` : String(r.url), code: true, quiet: true }) },
    { id: 'description', label: 'What it is for', width: 'minmax(112px, 1.4fr)', cell: (r) => ({ text: String(r.description), quiet: true }), wide: true },
  ],
  blank: { type: 'http' },
  groups: [
    { title: '', fields: [
      { name: 'type', label: 'Type', words: { smtp: 'Mail server', http: 'Web hook' } },
      { name: 'name', label: 'Name', hint: 'Recipients name it as their method' },
      { name: 'description', label: 'What it is for', control: 'text' },
    ] },
    { title: 'Mail server', fields: [
      { name: 'host', label: 'Server', when: mail, placeholder: 'mail.example.net' },
      { name: 'port', label: 'Port', when: mail },
      { name: 'security', label: 'Encryption', words: { starttls: 'STARTTLS', tls: 'TLS', none: 'None' }, when: mail },
      { name: 'username', label: 'User name', when: mail },
      { name: 'password', label: 'Password', control: 'secret', when: mail, hint: 'Never shown. Left empty, it stays as it is' },
      { name: 'from', label: 'Notices come from', when: mail, placeholder: 'spyglass@example.net' },
    ] },
    { title: 'Web hook', fields: [
      { name: 'url', label: 'Address', when: hook, placeholder: 'https://duty.example.net/hooks/spyglass' },
      { name: 'method', label: 'Method', when: hook },
      { name: 'headers', label: 'Headers', control: 'pairs', when: hook, hint: 'A secret goes below, where it is kept encrypted' },
      { name: 'secretHeader', label: 'Header of the secret', when: hook },
      { name: 'secret', label: 'Secret', control: 'secret', when: hook, hint: 'The whole value of that header, Bearer included. Never shown' },
      { name: 'signingKey', label: 'Signing key', control: 'secret', when: hook, hint: 'Each body is signed with it, in X-Spyglass-Signature' },
      { name: 'payload', label: 'Body', control: 'long', when: hook, hint: 'JSON with ##TOKENS##; empty for the usual one' },
    ] },
  ],
  acts: [{
    label: 'Send a test', method: 'POST', path: '/setting/integrations/1/test', when: () => true,
    run: async (app, r) => {
      const { state, error } = await app.client.rest.write<Values>('POST', `/setting/integrations/${r.id}/test`)
      return state === 'sent' ? { text: `${String(r.name)} took the test notice` } : { text: `The test did not arrive: ${String(error)}`, bad: true }
    },
  }],
  goes: () => 'Recipients that name it must be given another method first.',
}
