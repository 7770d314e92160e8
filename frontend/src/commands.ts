import { tick } from 'svelte'
import type { App } from './app.svelte'
import { asFault } from './client'
import { hasPages } from './sending/sending.svelte'
import { saveTab } from './collections/saving'
import { isMac } from './keys'
import { screens } from './monitor/screens'

/** Something the page can do: in the palette, and on a key. Declared once, here. */
export interface Command {
  id: string
  label: string
  group: 'Request' | 'Tabs' | 'View' | 'Session'
  /** The first is the one shown. `Mod` is Ctrl, Cmd on macOS. */
  keys?: readonly string[]
  /** The keys as declared below, whatever a person put in their place. */
  declared?: readonly string[]
  /** More words to find it by. */
  words?: string
  run(): void
  /** False hides it and leaves its key alone. */
  when?(): boolean
}

export function commandList(app: App): Command[] {
  const tab = () => app.workspace.active
  const inApi = () => app.phase === 'ready' && app.view === 'api'
  const inMonitor = () => app.phase === 'ready' && app.view === 'monitor'
  const inWindow = () => app.start?.desktop === true // a browser zooms by itself
  const withTab = () => inApi() && tab() !== undefined
  return [
    { id: 'view.api', label: 'API Explorer', group: 'View', words: 'request endpoint', run: () => app.go('api') },
    { id: 'request.new', label: 'New API Request', group: 'Tabs', keys: ['Mod+T', 'Mod+N'], words: 'tab', run: () => void app.newTab() },
    { id: 'view.monitor', label: 'Monitor', group: 'View', words: 'overview devices', run: () => app.go('monitor') },
    ...screens.map((s): Command => ({
      id: `monitor.${s.id}`, label: `Go to ${s.name}`, group: 'View', words: `monitor ${s.words}`, when: () => !app.portal.remote && (!s.demo || app.portal.demo), run: () => app.watch(s.id),
    })),
    { id: 'monitor.back', label: 'Back', group: 'View', keys: ['Alt+ArrowLeft'], words: 'monitor previous screen', when: inMonitor, run: () => void app.monitor.back() },
    { id: 'monitor.forward', label: 'Forward', group: 'View', keys: ['Alt+ArrowRight'], words: 'monitor next screen', when: inMonitor, run: () => void app.monitor.forward() },
    { id: 'view.toggle', label: 'Toggle Monitor and API', group: 'View', words: 'switch view', run: () => app.go(app.view === 'api' ? 'monitor' : 'api') },
    { id: 'view.welcome', label: 'Welcome screen', group: 'View', words: 'home start samples', run: () => app.go('welcome') },
    { id: 'tour', label: 'Take the tour', group: 'View', words: 'help introduction first steps', run: () => void app.act('tour.start') },
    { id: 'palette', label: 'Command palette', group: 'View', keys: ['Mod+K', 'Mod+Shift+P'], run: () => app.openPalette() },
    { id: 'quick.switch', label: 'Go to tab or endpoint', group: 'View', keys: ['Mod+P'], run: () => app.openPalette('#') },

    { id: 'request.send', label: 'Send Request', group: 'Request', keys: ['Mod+Enter', 'F5'], when: withTab, run: () => void tab()?.draft.send() },
    { id: 'request.pages', label: 'Fetch all pages', group: 'Request', words: 'list everything items', when: () => withTab() && hasPages(tab()!.draft), run: () => void tab()?.draft.sendAll() },
    { id: 'request.review', label: 'Review changes', group: 'Request', words: 'diff before write put patch', when: () => withTab() && ['PUT', 'PATCH'].includes(tab()!.draft.method), run: () => void app.sending.review(tab()!) },
    { id: 'write.undo', label: 'Undo the last write', group: 'Request', words: 'take back restore', when: () => withTab() && !!tab()!.draft.reply?.undo && !app.sending.undone.has(tab()!.draft.reply!.historyId), run: () => void app.sending.undo(tab()!.draft.reply!.historyId) },
    { id: 'request.cancel', label: 'Cancel request', group: 'Request', keys: ['Escape'], when: () => withTab() && tab()!.draft.busy, run: () => tab()?.draft.stop() },
    { id: 'request.save', label: 'Save request', group: 'Request', keys: ['Mod+S'], when: withTab, run: () => void saveTab(app, tab()!) },
    { id: 'request.saveAs', label: 'Save request in another collection', group: 'Request', when: withTab, words: 'save as copy', run: () => void app.act('request.saveAs') },
    { id: 'exchange.import', label: 'Import…', group: 'Request', words: 'postman openapi har curl file collection', run: () => void app.act('exchange.import') },
    { id: 'exchange.export', label: 'Export…', group: 'Request', words: 'postman openapi har file collection download', run: () => { app.library.picked = []; app.act('exchange.export') } },
    { id: 'request.path', label: 'Edit path', group: 'Request', keys: ['Mod+L'], when: withTab, run: () => void app.act('path.focus') },
    { id: 'request.preview', label: 'Preview request', group: 'Request', when: withTab, words: 'as sent resolved variables', run: () => void app.act('request.preview') },
    { id: 'request.reset', label: 'Reset request', group: 'Request', when: withTab, words: 'revert undo changes', run: () => void app.act('request.reset') },
    { id: 'request.undo', label: 'Undo edit', group: 'Request', keys: ['Mod+Z'], when: () => withTab() && editsRequest(), words: 'take back', run: () => void tab()?.draft.undo() },
    { id: 'request.redo', label: 'Redo edit', group: 'Request', keys: ['Mod+Shift+Z', 'Mod+Y'], when: () => withTab() && editsRequest(), run: () => void tab()?.draft.redo() },

    { id: 'tab.close', label: 'Close tab', group: 'Tabs', keys: ['Mod+W'], when: withTab, run: () => void app.workspace.close(tab()!) },
    { id: 'tab.others', label: 'Close other tabs', group: 'Tabs', when: withTab, run: () => void app.workspace.closeOthers(tab()!) },
    { id: 'tab.reopen', label: 'Reopen closed tab', group: 'Tabs', keys: ['Mod+Shift+T'], when: inApi, run: () => void app.workspace.reopen() },
    { id: 'tab.duplicate', label: 'Duplicate tab', group: 'Tabs', keys: ['Mod+D'], when: withTab, run: () => void app.workspace.duplicate(tab()!) },
    { id: 'tab.rename', label: 'Rename tab', group: 'Tabs', keys: ['F2'], when: () => withTab() && !inCollections(), run: () => (tab()!.renaming = true) },
    { id: 'tab.pin', label: 'Pin or unpin tab', group: 'Tabs', when: withTab, run: () => app.workspace.pin(tab()!) },
    { id: 'tab.right', label: 'Close tabs to the right', group: 'Tabs', when: withTab, run: () => void app.workspace.closeRight(tab()!) },
    { id: 'tab.moveLeft', label: 'Move tab left', group: 'Tabs', keys: ['Control+Shift+PageUp'], when: withTab, run: () => app.workspace.shift(tab()!, -1) },
    { id: 'tab.moveRight', label: 'Move tab right', group: 'Tabs', keys: ['Control+Shift+PageDown'], when: withTab, run: () => app.workspace.shift(tab()!, 1) },
    { id: 'tab.next', label: 'Next tab', group: 'Tabs', keys: ['Control+Tab'], when: withTab, run: () => app.workspace.step(1) },
    { id: 'tab.previous', label: 'Previous tab', group: 'Tabs', keys: ['Control+Shift+Tab'], when: withTab, run: () => app.workspace.step(-1) },

    ...Array.from({ length: 9 }, (_, i): Command => ({
      id: `tab.${i + 1}`, label: i < 8 ? `Go to tab ${i + 1}` : 'Go to the last tab', group: 'Tabs', keys: [`Mod+${i + 1}`], when: inApi, run: () => app.workspace.nth(i + 1),
    })),

    { id: 'panel.variables', label: 'Variables', group: 'View', keys: ['Mod+E'], words: 'tools sidebar', run: () => void app.enterPanel('variables') },
    { id: 'panel.history', label: 'History', group: 'View', keys: ['Mod+H'], words: 'tools sidebar past requests', run: () => void app.enterPanel('history') },
    { id: 'panel.helpers', label: 'Helpers', group: 'View', words: 'tools sidebar json path', run: () => void app.enterPanel('helpers') },
    { id: 'panel.docs', label: 'Docs', group: 'View', words: 'tools sidebar documentation', run: () => void app.enterPanel('docs') },
    { id: 'find', label: 'Find in pane', group: 'View', keys: ['Mod+F'], when: () => inApi() && !inEditor(), run: () => find(app) },
    { id: 'view.endpoints', label: 'Endpoints', group: 'View', words: 'catalog left pane', run: () => void showLeft(app, 'left.endpoints') },
    { id: 'view.collections', label: 'Collections', group: 'View', words: 'saved requests left pane', run: () => void showLeft(app, 'left.collections') },
    { id: 'response.filter', label: 'Filter response', group: 'View', words: 'jsonpath jq query', when: withTab, run: () => void app.act('response.filter') },
    { id: 'catalog.search', label: 'Search endpoints', group: 'View', keys: ['Mod+Shift+F'], run: () => void searchCatalog(app) },
    { id: 'pane.left', label: 'Show or hide the catalog', group: 'View', keys: ['Mod+B'], when: inApi, run: () => void app.act('pane.left') },
    { id: 'pane.right', label: 'Show or hide the tools', group: 'View', keys: ['Mod+Alt+B'], when: inApi, run: () => void app.act('pane.right') },
    { id: 'pane.next', label: 'Next pane', group: 'View', keys: ['F6'], when: () => inApi() || inMonitor(), run: () => focusPane(1) },
    { id: 'pane.previous', label: 'Previous pane', group: 'View', keys: ['Shift+F6'], when: () => inApi() || inMonitor(), run: () => focusPane(-1) },
    { id: 'settings', label: 'Settings', group: 'View', keys: ['Mod+,'], words: 'preferences options theme density font size history limit timeout', run: () => void app.act('settings.open') },
    { id: 'settings.keys', label: 'Change keyboard shortcuts', group: 'View', words: 'keys remap settings', run: () => void app.act('settings.keys') },
    { id: 'settings.data', label: 'Back up, restore and reset', group: 'View', words: 'data folder backup diagnostics settings', run: () => void app.act('settings.data') },
    { id: 'settings.reset', label: 'Reset all settings', group: 'View', words: 'defaults', run: () => void app.act('settings.reset') },
    { id: 'settings.about', label: 'About Spyglass', group: 'View', words: 'version licences licenses', run: () => void app.act('settings.about') },
    { id: 'keys', label: 'Keyboard shortcuts', group: 'View', keys: ['Mod+/'], words: 'help sheet', run: () => void app.act('keys.open') },

    { id: 'zoom.in', label: 'Zoom in', group: 'View', keys: ['Mod+=', 'Mod+Shift++', 'Mod++'], when: inWindow, run: () => app.zoom(1) },
    { id: 'zoom.out', label: 'Zoom out', group: 'View', keys: ['Mod+-'], when: inWindow, run: () => app.zoom(-1) },
    { id: 'zoom.reset', label: 'Actual size', group: 'View', keys: ['Mod+0'], words: 'zoom', when: inWindow, run: () => app.zoom(0) },
    { id: 'window.full', label: 'Full screen', group: 'View', keys: isMac ? ['Control+Meta+F'] : ['F11'], words: 'maximise window', when: inWindow, run: () => void app.client.toggleFullScreen().catch((e: unknown) => app.toast(asFault(e).message, { tone: 'warn' })) },
    { id: 'theme.dark', label: 'Dark theme', group: 'View', words: 'colour appearance', run: () => app.save({ theme: 'dark' }) },
    { id: 'theme.light', label: 'Light theme', group: 'View', words: 'colour appearance', run: () => app.save({ theme: 'light' }) },
    { id: 'theme.system', label: 'Theme of the system', group: 'View', words: 'colour appearance', run: () => app.save({ theme: 'system' }) },
    { id: 'portal.add', label: 'Add portal…', group: 'Session', words: 'remote connect', run: () => (app.portals.asking = { what: 'edit', id: 0 }) },
    { id: 'portal.manage', label: 'Manage portals…', group: 'Session', words: 'remote edit delete catalog', run: () => (app.portals.asking = { what: 'manage' }) },
    { id: 'portal.lock', label: 'Lock or unlock the portal (read-only)', group: 'Session', words: 'refuse writes', run: () => void app.portals.lock(!app.portal.readOnly) },
    { id: 'session.out', label: 'Sign out', group: 'Session', run: () => void app.signOut() },
  ]
}

async function showLeft(app: App, pane: 'left.endpoints' | 'left.collections') {
  app.go('api')
  await tick()
  app.act('catalog.open')
  await tick()
  app.act(pane)
}

function inCollections(): boolean {
  return document.activeElement?.closest('[role="tree"][aria-label="Collections"]') != null
}

async function searchCatalog(app: App) {
  app.go('api')
  await tick()
  app.act('catalog.open')
  await tick()
  app.act('left.endpoints')
  await tick()
  app.act('catalog.search')
}

/** Fields outside the request, and the editor, undo by themselves. */
function editsRequest(): boolean {
  const at = document.activeElement
  if (inEditor()) return false
  return !at?.matches('input, textarea, select, [contenteditable]') || at.closest('[data-pane="request"]') !== null || at.closest('[popover]') !== null
}

function inEditor(): boolean {
  return document.activeElement?.closest('.cm-editor') != null
}

/** Find belongs to the pane that has the focus; the response when none has. */
function find(app: App) {
  if (document.activeElement?.closest('[data-pane="catalog"]')) app.act('catalog.search')
  else if (!app.act('response.find')) app.act('response.findInJson')
}

/** Moves the focus to the next pane, into the first thing in it that takes one. */
function focusPane(by: number) {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((p) => p.offsetWidth > 0 && p.offsetHeight > 0)
  if (panes.length === 0) return
  const at = panes.findIndex((p) => p.contains(document.activeElement))
  const pane = panes[(at + by + panes.length) % panes.length]
  const inside = pane.querySelector<HTMLElement>(
    'input:not([disabled]), [tabindex="0"], button:not([disabled]):not([tabindex="-1"]), select, textarea, .cm-content',
  )
  ;(inside ?? pane).focus()
}
