import type { Component } from 'svelte'
import type { Reply } from '../client'
import { Lazy } from '../ui/lazy.svelte'
import JsonTools from './JsonTools.svelte'
import JsonView from './JsonView.svelte'
import TextTools from './TextTools.svelte'
import TextView from './TextView.svelte'
import type { ViewProps } from './view-props'
import { text } from './text'

interface Shown {
  id: 'json' | 'table' | 'chart' | 'raw' | 'headers' | 'snippets'
  label: string
  /** Returns false to hide its tab; called for each response, with undefined while there is none. */
  when?(reply: Reply | undefined): boolean
  /** The number behind its label. */
  count?(reply: Reply): number | undefined
}

/** What a view draws. */
export interface Parts {
  component: Component<ViewProps>
  /** Its own buttons, before those that every view has. */
  tools?: Component<ViewProps>
}

/** A view of the response. */
export interface AnswerView extends Shown {
  shows: 'answer'
  parts: Parts | Lazy<Parts>
  /** It shows the body; without one, the pane shows a note instead. */
  body?: boolean
  /** It shows the matches while the response is filtered. */
  filtered?: boolean
}

/** A view of the current request; it needs no response. */
export interface RequestView extends Shown {
  shows: 'request'
  parts: Lazy<{ component: Component<Pick<ViewProps, 'tab' | 'draft'>> }>
}

export type View = AnswerView | RequestView

const table = new Lazy(async () => {
  const [view, tools] = await Promise.all([import('./TableView.svelte'), import('./TableTools.svelte')])
  return { component: view.default, tools: tools.default }
})
const chart = new Lazy(async () => ({ component: (await import('./ChartView.svelte')).default }))
const headers = new Lazy(async () => ({ component: (await import('./HeadersView.svelte')).default }))
const snippets = new Lazy(async () => ({ component: (await import('./SnippetsView.svelte')).default }))

/** The tabs of the response, in their order. A new one is a file and a line here. */
export const views: View[] = [
  {
    id: 'json',
    label: text.views.json,
    shows: 'answer',
    parts: { component: JsonView, tools: JsonTools },
    body: true,
    filtered: true,
  },
  { id: 'table', label: text.views.table, shows: 'answer', parts: table, body: true, filtered: true },
  { id: 'chart', label: text.views.chart, shows: 'answer', parts: chart, body: true, filtered: true },
  {
    id: 'raw',
    label: text.views.raw,
    shows: 'answer',
    parts: { component: TextView, tools: TextTools },
    body: true,
    filtered: true,
  },
  { id: 'headers', label: text.views.headers, shows: 'answer', parts: headers, count: (reply) => reply.headers.length },
  { id: 'snippets', label: text.views.snippets, shows: 'request', parts: snippets },
]
