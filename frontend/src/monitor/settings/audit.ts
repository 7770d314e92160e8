import { exact, moment } from '../age'
import type { Cell } from '../list/cells'
import type { Kind } from './kind'
import { text } from './text'

const t = text.audit

export const kind: Kind = {
  path: '/setting/accesslogs',
  follows: ['auditLog'],
  one: t.one,
  many: t.many,
  sort: '-happenedOn',
  title: (r) => String(r.description),
  empty: t.empty,
  narrow: [
    { label: t.narrow.all, filter: '' },
    { label: t.narrow.signIns, filter: 'action:"sign-in"|"sign-in-failed"|"sign-out"' },
    { label: t.narrow.deletions, filter: 'action:"delete"|"purge"' },
  ],
  columns: [
    {
      id: 'at',
      label: t.columns.at,
      width: '120px',
      sort: 'happenedOn',
      cell: (r) => ({ text: moment(Number(r.happenedOn)), title: exact(Number(r.happenedOn)) }),
    },
    {
      id: 'who',
      label: t.columns.who,
      width: 'minmax(72px, .7fr)',
      sort: 'username',
      cell: (r) => ({ text: String(r.username), code: true }),
    },
    {
      id: 'what',
      label: t.columns.what,
      width: 'minmax(180px, 3fr)',
      cell: (r) =>
        r.action === 'sign-in-failed'
          ? { text: String(r.description), tone: 'warn' }
          : { text: String(r.description), title: String(r.description) },
    },
    {
      id: 'ip',
      label: t.columns.ip,
      width: '120px',
      sort: 'ip',
      cell: (r) => ({ text: String(r.ip || t.noIp), code: true, quiet: true }),
      wide: true,
    },
  ],
  groups: [],
  facts: (r) => [
    [t.facts.at, exact(Number(r.happenedOn))],
    [t.facts.who, { text: String(r.username), code: true }],
    [t.facts.ip, { text: String(r.ip || t.portal), code: true }],
    ...(r.client ? [[t.facts.client, { text: String(r.client), code: true }] as [string, Cell]] : []),
    [t.facts.action, { text: String(r.action), code: true }],
    ...(r.object ? [[t.facts.thing, `${String(r.object)} ${Number(r.objectId) || ''}`] as [string, string]] : []),
  ],
  below: () => import('./AuditDiff.svelte'),
}
