import type { Component } from 'svelte'

/** The views that are loaded when they are first shown; the welcome page is always here. */
export const views = {
  api: (): Loading => import('./Explorer.svelte'),
  monitor: (): Loading => import('./monitor/Monitor.svelte'),
}

type Loading = Promise<{ default: Component }>
export type Views = typeof views
