/** The screens of the Monitor view, in their order: one line each, loaded when first shown. */
import type { Component } from 'svelte'
import type { IconName } from '../ui/icons'

export interface Screen {
  /** For settings and commands. */
  id: string
  name: string
  icon: IconName
  /** More search words for the palette. */
  words: string
  load: () => Promise<{ default: Component }>
  /** Only in a portal with a demo. */
  demo?: boolean
  /** The permissions, one of which a user needs to view the screen; if there are none, everyone can. */
  rights?: readonly string[]
  /** The screen that leads to this one, for a screen of one object: the navigation and commands do not list it. */
  within?: string
}

/** Reports whether a user with these rights can view a screen. */
export const seenBy = (screen: Screen, rights: readonly string[] | undefined): boolean =>
  !rights || !screen.rights || screen.rights.some((r) => rights.includes(r))

export const screens: readonly Screen[] = [
  {
    id: 'overview',
    name: 'Overview',
    icon: 'pulse',
    words: 'monitor what is wrong now counts trend health',
    load: () => import('./overview/Overview.svelte'),
  },
  {
    id: 'fleet',
    name: 'Fleet',
    icon: 'device',
    words: 'devices groups hosts bulk maintenance',
    load: () => import('./fleet/Fleet.svelte'),
  },
  {
    id: 'alerts',
    name: 'Alerts',
    icon: 'bell',
    words: 'monitor acknowledge ack note escalate maintenance downtime sdt',
    load: () => import('./alerts/Screen.svelte'),
  },
  {
    id: 'story',
    name: 'Story',
    icon: 'history',
    words: '',
    load: () => import('./alerts/Screen.svelte'),
    within: 'alerts',
  },
  {
    id: 'map',
    name: 'Map',
    icon: 'map',
    words: 'topology blast radius',
    // imports a file that loads later, so that the start script does not list the imports of the map
    load: () => import('./alerts/Screen.svelte').then((s) => s.map()),
  },
  {
    id: 'datasources',
    name: 'DataSources',
    icon: 'gauge',
    words: 'monitor thresholds checks data points applies to test import export',
    load: () => import('./datasources/DataSources.svelte'),
    rights: ['read on settings: datasources'],
  },
  {
    id: 'reports',
    name: 'Reports',
    icon: 'report',
    words: 'pdf excel csv schedule run mail',
    load: () => import('./reports/Reports.svelte'),
    rights: ['read on report'],
  },
  {
    id: 'settings',
    name: 'Settings',
    icon: 'sliders',
    words: 'users roles tokens collectors notifications rules chains audit portal',
    load: () => import('./settings/Settings.svelte'),
    rights: ['useraccess', 'collectors', 'alerting', 'portal', 'audit'].map((area) => `read on settings: ${area}`),
  },
  {
    id: 'demo',
    name: 'Demo',
    icon: 'live',
    words:
      'monitor incidents time speed reset core switch down disk filling busy processors flapping link ' +
      'certificate expiring collector down alert storm',
    load: () => import('./demo/Demo.svelte'),
    demo: true,
    rights: ['read on settings: portal'],
  },
]
