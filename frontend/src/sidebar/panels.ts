import type { Component } from 'svelte'
import type { PanelName } from '../client'
import Docs from './Docs.svelte'
import Helpers from './Helpers.svelte'
import HistoryPanel from './History.svelte'
import Variables from './Variables.svelte'
import { text } from './text'

/** One tab of the tools sidebar. To add one, add a file and a line here. */
export interface Panel {
  id: PanelName
  label: string
  view: Component
}

export const panels: Panel[] = [
  { id: 'variables', label: text.panels.variables, view: Variables },
  { id: 'history', label: text.panels.history, view: HistoryPanel },
  { id: 'helpers', label: text.panels.helpers, view: Helpers },
  { id: 'docs', label: text.panels.docs, view: Docs },
]
