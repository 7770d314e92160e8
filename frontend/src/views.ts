import { screens } from './monitor/screens'
import type { Views } from './state/navigation.svelte'

/** The views that load when they are first shown; the welcome page is always loaded. */
export const views: Views = {
  api: () => import('./Explorer.svelte'),
  monitor: () => import('./monitor/Monitor.svelte'),
  screens,
}
