import { screens } from './monitor/screens'
import type { Views } from './state/navigation.svelte'

/** The views that are loaded when they are first shown; the welcome page is always here. */
export const views: Views = {
  api: () => import('./Explorer.svelte'),
  monitor: () => import('./monitor/Monitor.svelte'),
  screens,
}
