import type { Component } from 'svelte'
import type { PanelName } from '../client'
import Docs from './Docs.svelte'
import Helpers from './Helpers.svelte'
import HistoryPanel from './History.svelte'
import Variables from './Variables.svelte'

/** One tab of the tools sidebar. A new one is a file and a line here. */
export interface Panel {
  id: PanelName
  label: string
  view: Component
}

export const panels: Panel[] = [
  { id: 'variables', label: 'Variables', view: Variables },
  { id: 'history', label: 'History', view: HistoryPanel },
  { id: 'helpers', label: 'Helpers', view: Helpers },
  { id: 'docs', label: 'Docs', view: Docs },
]
