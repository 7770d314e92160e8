import { exact, moment } from '../age'
import type { Kind } from './kind'

export const kind: Kind = {
  path: '/setting/accesslogs', follows: ['auditLog'], one: 'entry', many: 'Audit log', sort: '-happenedOn',
  title: (r) => String(r.description),
  empty: 'Each change to the portal is written down here.',
  narrow: [{ label: 'All', filter: '' }, { label: 'Sign-ins', filter: 'action:"sign-in"|"sign-in-failed"|"sign-out"' }, { label: 'Deletions', filter: 'action:"delete"|"purge"' }],
  columns: [
    { id: 'at', label: 'When', width: '120px', sort: 'happenedOn', cell: (r) => ({ text: moment(Number(r.happenedOn)), title: exact(Number(r.happenedOn)) }) },
    { id: 'who', label: 'Who', width: 'minmax(72px, .7fr)', sort: 'username', cell: (r) => ({ text: String(r.username), code: true }) },
    { id: 'what', label: 'What', width: 'minmax(180px, 3fr)', cell: (r) => (r.action === 'sign-in-failed' ? { text: String(r.description), tone: 'warn' } : { text: String(r.description), title: String(r.description) }) },
    { id: 'ip', label: 'From', width: '120px', sort: 'ip', cell: (r) => ({ text: String(r.ip || '–'), code: true, quiet: true }), wide: true },
  ],
  groups: [],
  facts: (r) => [
    ['When', exact(Number(r.happenedOn))],
    ['Who', { text: String(r.username), code: true }],
    ['From', { text: String(r.ip || 'the portal itself'), code: true }],
    ['Action', { text: String(r.action), code: true }],
    ...(r.object ? [['Thing', `${String(r.object)} ${Number(r.objectId) || ''}`] as [string, string]] : []),
  ],
  below: () => import('./AuditDiff.svelte'),
}
