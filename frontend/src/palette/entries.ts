import type { App } from '../app.svelte'
import type { Endpoint, History, Method } from '../client'
import type { Command } from '../commands'
import type { IconName } from '../ui/icons'
import { keyLabel } from '../keys'
import { rank, type Ranked } from './fuzzy'

/** The palette's groups, in the order they are shown. */
export const groups = ['Go to', 'Run', 'Endpoints', 'Tabs', 'History'] as const
export type Group = (typeof groups)[number]

/** One thing the palette can do. */
export interface Entry {
  id: string
  group: Group
  /** What is shown and searched first. */
  text: string
  /** Shown behind it, faint, and searched last. */
  hint: string
  /** Found by these too, but not shown. */
  words: string
  key: string
  icon?: IconName
  method?: Method
  run: () => void
  /** Ctrl+Enter; the same as run if there is none. */
  runInTab?: () => void
}

/** A group with the entries that match, and how many there are in all. */
export interface Section {
  group: Group
  entries: Ranked<Entry>[]
  total: number
}

const icons: Record<string, IconName> = {
  'view.api': 'code', 'view.monitor': 'pulse', 'view.welcome': 'globe', 'view.toggle': 'code', 'request.new': 'plus', 'request.send': 'send', 'request.cancel': 'stop',
  'request.save': 'download', 'request.path': 'pencil', 'request.reset': 'undo', 'tab.close': 'close', 'tab.others': 'close', 'tab.reopen': 'undo', 'tab.duplicate': 'copy',
  'tab.rename': 'pencil', 'panel.variables': 'braces', 'panel.history': 'history', 'panel.helpers': 'divide', 'panel.docs': 'book', find: 'search', 'catalog.search': 'search',
  'pane.left': 'sidebar', 'pane.right': 'sidebar', keys: 'keyboard', 'theme.dark': 'moon', 'theme.light': 'sun', 'theme.system': 'system', 'session.out': 'out',
}
const goTo = new Set(['view.api', 'request.new', 'view.monitor', 'view.welcome', 'panel.variables', 'panel.history', 'panel.helpers', 'panel.docs', 'catalog.search', 'request.path', 'keys'])
const hidden = new Set(['palette', 'quick.switch'])

export function entries(app: App, past: readonly History[]): Entry[] {
  return [
    ...app.commands.filter((c) => !hidden.has(c.id) && (c.when?.() ?? true)).map((c) => commandEntry(c, app)),
    ...app.workspace.tabs.map((tab): Entry => ({
      id: `tab ${tab.key}`, group: 'Tabs', text: tab.name || tab.draft.path || 'Untitled request', hint: tab === app.workspace.active ? 'current tab' : tab.name ? tab.draft.path : '', words: tab.draft.method, key: '',
      method: tab.draft.method, run: () => { app.go('api'); app.workspace.activate(tab) },
    })),
    ...app.catalog.endpoints.map((e) => endpointEntry(e, app)),
    ...past.map((h): Entry => ({
      id: `history ${h.id}`, group: 'History', text: h.path, hint: h.status ? `${h.status} ${h.statusText}` : h.error, words: h.method, key: '', method: h.method,
      run: () => void app.openHistory(h),
    })),
  ]
}

function commandEntry(c: Command, app: App): Entry {
  const here = (c.id === 'view.api' && app.view === 'api') || (c.id === 'view.monitor' && app.view === 'monitor')
  return {
    id: c.id, group: goTo.has(c.id) ? 'Go to' : 'Run', text: c.label, hint: here ? 'current view' : '', words: `${c.group} ${c.words ?? ''}`, key: keyLabel(c), icon: icons[c.id] ?? 'right', run: () => c.run(),
  }
}

function endpointEntry(e: Endpoint, app: App): Entry {
  return {
    id: e.id, group: 'Endpoints', text: e.path, hint: e.summary, words: `${e.method} ${e.category}`, key: e.category, method: e.method,
    run: () => void app.chooseEndpoint(e),
    runInTab: () => { app.newTab(); app.chooseEndpoint(e) },
  }
}

const most: Record<Group, number> = { 'Go to': 8, Run: 8, Tabs: 6, Endpoints: 30, History: 8 }

/** What a query finds, by group, the group with the best match first. `>` first looks only at commands, `/` only at endpoints. */
export function search(all: readonly Entry[], query: string): Section[] {
  const only: readonly Group[] = query.startsWith('>') ? ['Go to', 'Run'] : query.startsWith('/') ? ['Endpoints'] : groups
  const text = (query.startsWith('>') ? query.slice(1) : query).trim()
  const bare = text === '' || text === '/'
  const sections = only
    .map((group) => {
      const own = all.filter((e) => e.group === group)
      const found = rank(bare ? '' : text, own, (e) => [e.text, e.words, e.hint])
      const shown = bare && only.length > 2 ? atFirst[group] : only.length <= 2 ? 200 : most[group]
      return { group, entries: found.slice(0, shown), total: found.length }
    })
    .filter((s) => s.entries.length > 0)
  return bare ? sections : sections.sort((a, b) => b.entries[0].score - a.entries[0].score)
}

const atFirst: Record<Group, number> = { 'Go to': 11, Run: 4, Tabs: 4, Endpoints: 4, History: 4 }
