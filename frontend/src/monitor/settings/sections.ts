import type { Component } from 'svelte'
import type { IconName } from '../../ui/icons'
import { text } from '../text'
import type { Kind } from './kind'

const { sections: of, sectionGroups: groups } = text

/** A section of the portal's settings: a kind of object with list and form, or a custom view. */
export interface Section {
  id: string
  label: string
  group: string
  icon: IconName
  words: string
  /** The command that opens the form for a new object. */
  add?: string
  /** Lists whose unsaved edits are counted here. */
  path: string
  load: () => Promise<{ kind: Kind } | { default: Component }>
}

/** To add a section, add a file and a line here. */
export const sections: readonly Section[] = [
  {
    id: 'users',
    ...of.users,
    group: groups.people,
    icon: 'user',
    path: '/setting/admins',
    load: () => import('./users'),
  },
  {
    id: 'roles',
    ...of.roles,
    group: groups.people,
    icon: 'lock',
    path: '/setting/roles',
    load: () => import('./roles'),
  },
  {
    id: 'tokens',
    ...of.tokens,
    group: groups.people,
    icon: 'key',
    path: '/setting/admins/apitokens',
    load: () => import('./tokens'),
  },
  {
    id: 'signin',
    ...of.signin,
    group: groups.people,
    icon: 'globe',
    path: '/setting/signin',
    load: () => import('./SignInSettings.svelte'),
  },
  {
    id: 'collectors',
    ...of.collectors,
    group: groups.collecting,
    icon: 'plug',
    path: '/setting/collectors',
    load: () => import('./collectors'),
  },
  {
    id: 'collector-groups',
    ...of['collector-groups'],
    group: groups.collecting,
    icon: 'group',
    path: '/setting/collectors/groups',
    load: () => import('./collector-groups'),
  },
  {
    id: 'integrations',
    ...of.integrations,
    group: groups.notifications,
    icon: 'send',
    path: '/setting/integrations',
    load: () => import('./integrations'),
  },
  {
    id: 'recipients',
    ...of.recipients,
    group: groups.notifications,
    icon: 'group',
    path: '/setting/recipientgroups',
    load: () => import('./recipients'),
  },
  {
    id: 'chains',
    ...of.chains,
    group: groups.notifications,
    icon: 'fold',
    path: '/setting/alert/chains',
    load: () => import('./chains'),
  },
  {
    id: 'rules',
    ...of.rules,
    group: groups.notifications,
    icon: 'filter',
    path: '/setting/alert/rules',
    load: () => import('./rules'),
  },
  {
    id: 'deliveries',
    ...of.deliveries,
    group: groups.notifications,
    icon: 'history',
    path: '/alert/deliveries',
    load: () => import('./deliveries'),
  },
  {
    id: 'portal',
    ...of.portal,
    group: groups.portal,
    icon: 'sliders',
    path: '/setting/portal',
    load: () => import('./PortalSettings.svelte'),
  },
  {
    id: 'remote-write',
    ...of['remote-write'],
    group: groups.portal,
    icon: 'external',
    path: '/setting/remotewrite',
    load: () => import('./RemoteWrite.svelte'),
  },
  {
    id: 'nodes',
    ...of.nodes,
    group: groups.portal,
    icon: 'device',
    path: '/setting/nodes',
    load: () => import('./Nodes.svelte'),
  },
  {
    id: 'audit',
    ...of.audit,
    group: groups.portal,
    icon: 'book',
    path: '/setting/accesslogs',
    load: () => import('./audit'),
  },
]
