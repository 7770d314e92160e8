import type { Component } from 'svelte'
import type { IconName } from '../../ui/icons'
import type { Kind } from './kind'

/** One section of the portal's settings: a kind of thing with list and form, or a view of its own. */
export interface Section {
  id: string
  label: string
  group: string
  icon: IconName
  words: string
  /** Lists whose unsaved edits are counted here. */
  path: string
  load: () => Promise<{ kind: Kind } | { default: Component }>
}

/** A new section is a file and a line here. */
export const sections: readonly Section[] = [
  { id: 'users', label: 'Users', group: 'People', icon: 'user', words: 'accounts password suspend', path: '/setting/admins', load: () => import('./users') },
  { id: 'roles', label: 'Roles', group: 'People', icon: 'lock', words: 'privileges rights permissions', path: '/setting/roles', load: () => import('./roles') },
  { id: 'tokens', label: 'API tokens', group: 'People', icon: 'key', words: 'bearer lmv1 access key revoke', path: '/setting/admins/apitokens', load: () => import('./tokens') },
  { id: 'collectors', label: 'Collectors', group: 'Collecting', icon: 'plug', words: 'install agent backup down', path: '/setting/collectors', load: () => import('./collectors') },
  { id: 'collector-groups', label: 'Collector groups', group: 'Collecting', icon: 'group', words: 'balance sites', path: '/setting/collectors/groups', load: () => import('./collector-groups') },
  { id: 'integrations', label: 'Integrations', group: 'Notifications', icon: 'send', words: 'mail smtp web hook test', path: '/setting/integrations', load: () => import('./integrations') },
  { id: 'recipients', label: 'Recipient groups', group: 'Notifications', icon: 'group', words: 'people addresses', path: '/setting/recipientgroups', load: () => import('./recipients') },
  { id: 'chains', label: 'Escalation chains', group: 'Notifications', icon: 'fold', words: 'stages notify', path: '/setting/alert/chains', load: () => import('./chains') },
  { id: 'rules', label: 'Alert rules', group: 'Notifications', icon: 'filter', words: 'priority routing', path: '/setting/alert/rules', load: () => import('./rules') },
  { id: 'deliveries', label: 'Delivery log', group: 'Notifications', icon: 'history', words: 'notices sent failed dead letters retry', path: '/alert/deliveries', load: () => import('./deliveries') },
  { id: 'portal', label: 'Portal', group: 'Portal', icon: 'sliders', words: 'name time zone limits retention rate', path: '/setting/portal', load: () => import('./PortalSettings.svelte') },
  { id: 'remote-write', label: 'Remote write', group: 'Portal', icon: 'external', words: 'prometheus samples database', path: '/setting/remotewrite', load: () => import('./RemoteWrite.svelte') },
  { id: 'audit', label: 'Audit log', group: 'Portal', icon: 'book', words: 'access who changed what', path: '/setting/accesslogs', load: () => import('./audit') },
]
