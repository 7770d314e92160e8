/** The screens of the Monitor view, in their order: one line each, loaded when first shown. */
import type { Component } from 'svelte'
import type { IconName } from '../ui/icons'
import { text } from './text'

export interface Screen {
  /** In settings and in commands. */
  id: string
  name: string
  icon: IconName
  /** More words to find it by in the palette. */
  words: string
  load: () => Promise<{ default: Component }>
  /** Only where the portal has a demo. */
  demo?: boolean
}

export const screens: readonly Screen[] = [
  {
    id: 'overview',
    name: text.screens.overview,
    icon: 'pulse',
    words: text.found.overview,
    load: () => import('./overview/Overview.svelte'),
  },
  {
    id: 'fleet',
    name: text.screens.fleet,
    icon: 'device',
    words: text.found.fleet,
    load: () => import('./fleet/Fleet.svelte'),
  },
  {
    id: 'alerts',
    name: text.screens.alerts,
    icon: 'bell',
    words: text.found.alerts,
    load: () => import('./alerts/Alerts.svelte'),
  },
  {
    id: 'datasources',
    name: text.screens.datasources,
    icon: 'gauge',
    words: text.found.datasources,
    load: () => import('./datasources/DataSources.svelte'),
  },
  {
    id: 'reports',
    name: text.screens.reports,
    icon: 'report',
    words: text.found.reports,
    load: () => import('./reports/Reports.svelte'),
  },
  {
    id: 'settings',
    name: text.screens.settings,
    icon: 'sliders',
    words: text.found.settings,
    load: () => import('./settings/Settings.svelte'),
  },
  {
    id: 'demo',
    name: text.screens.demo,
    icon: 'live',
    words: text.found.demo,
    load: () => import('./demo/Demo.svelte'),
    demo: true,
  },
]
