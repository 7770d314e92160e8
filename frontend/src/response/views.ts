import type { Component } from 'svelte'
import type { CheckResult, Reply } from '../client'
import { Lazy } from '../ui/lazy.svelte'
import JsonTools from './JsonTools.svelte'
import JsonView from './JsonView.svelte'
import TextTools from './TextTools.svelte'
import TextView from './TextView.svelte'
import type { ViewProps } from './view-props'
import { text } from './text'

interface Shown {
  id: 'json' | 'table' | 'chart' | 'raw' | 'headers' | 'checks' | 'watch' | 'snippets'
  label: string
  /** Returns false to hide its tab; called for each response, with undefined while there is none. */
  when?(reply: Reply | undefined): boolean
  /** The number after its label. */
  count?(reply: Reply): number | string | undefined
  /** Whether the count means success or failure. */
  tone?(reply: Reply): 'ok' | 'error' | undefined
}

/** The components of a view. */
export interface Parts {
  component: Component<ViewProps>
  /** Its own buttons, before those of every view. */
  tools?: Component<ViewProps>
}

/** A view of the response. */
export interface AnswerView extends Shown {
  shows: 'response'
  parts: Parts | Lazy<Parts>
  /** It shows the body; if there is none, the pane shows a note instead. */
  body?: boolean
  /** It shows the matches while the response is filtered. */
  filtered?: boolean
}

/** A view of the current request that needs no response. */
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
const checks = new Lazy(async () => ({ component: (await import('./checks/ChecksView.svelte')).default }))
const watch = new Lazy(async () => ({ component: (await import('./watch/WatchView.svelte')).default }))
const snippets = new Lazy(async () => ({ component: (await import('./SnippetsView.svelte')).default }))

const passed = (all: CheckResult[]) => all.filter((c) => c.passed).length

/** The tabs of the response, in order. To add one, add a file and a line here. */
export const views: View[] = [
  {
    id: 'json',
    label: text.views.json,
    shows: 'response',
    parts: { component: JsonView, tools: JsonTools },
    body: true,
    filtered: true,
  },
  { id: 'table', label: text.views.table, shows: 'response', parts: table, body: true, filtered: true },
  { id: 'chart', label: text.views.chart, shows: 'response', parts: chart, body: true, filtered: true },
  {
    id: 'raw',
    label: text.views.raw,
    shows: 'response',
    parts: { component: TextView, tools: TextTools },
    body: true,
    filtered: true,
  },
  {
    id: 'headers',
    label: text.views.headers,
    shows: 'response',
    parts: headers,
    count: (reply) => reply.headers.length,
  },
  {
    id: 'checks',
    label: text.views.checks,
    shows: 'request',
    parts: checks,
    count: ({ checks: all }) => all?.length && text.views.passed(passed(all), all.length),
    tone: ({ checks: all }) => (all?.length ? (passed(all) === all.length ? 'ok' : 'error') : undefined),
  },
  { id: 'watch', label: text.views.watch, shows: 'request', parts: watch },
  { id: 'snippets', label: text.views.snippets, shows: 'request', parts: snippets },
]
