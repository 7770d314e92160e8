import { tick } from 'svelte'
import type { App } from './state/app.svelte'
import { asFault } from './client'
import type { FileFormat } from './client/sending'
import type { Command } from './state/command'
import type { Action } from './state/commands.svelte'
import { hasPages, savePages } from './state/sending/sending.svelte'
import { saveTab } from './collections/saving'
import { isMac } from './ui/keys'
import { screens } from './monitor/screens'
import { text } from './text'

const named = text.commands

/** Returns search words for a command about the formats in a table. */
const words = (id: 'exchange.import' | 'exchange.export' | 'response.snippets', table: { label: string }[]) =>
  [named[id].words, ...table.map((t) => t.label)].join(' ')

/** All commands of the page, for the palette and shortcuts. */
export function commandList(app: App): Command[] {
  const tab = () => app.workspace.active
  const inApi = () => app.session.phase === 'ready' && app.navigation.view === 'api'
  const inMonitor = () => app.session.phase === 'ready' && app.navigation.view === 'monitor'
  const inWindow = () => app.session.start?.desktop === true // a browser has its own zoom
  const attempt = (window: Promise<void>) =>
    void window.catch((e: unknown) => app.toasts.show(asFault(e).message, { tone: 'warn' }))
  const withTab = () => inApi() && tab() !== undefined
  const withAnswer = () => withTab() && tab()!.draft.reply !== undefined
  const withPages = () => withTab() && hasPages(tab()!.draft)
  /** A command that a part of the page carries out. */
  const ofPart = (id: Action & keyof typeof named): Command => ({
    id,
    ...named[id],
    group: 'Request',
    when: withTab,
    run: () => void app.commands.run(id),
  })
  /** A command that the response pane carries out. */
  const ofView = (id: Action & keyof typeof named, when = withAnswer): Command => ({
    id,
    ...named[id],
    group: 'View',
    when,
    run: () => void app.commands.runIfOffered(id),
  })
  const ofFile = (id: keyof typeof named, format: FileFormat): Command => ({
    id,
    ...named[id],
    group: 'Request',
    when: withPages,
    run: () => void savePages(tab()!.draft, format),
  })
  const ofFolders = (id: Action & keyof typeof named, before?: () => void): Command => ({
    id,
    ...named[id],
    group: 'Request',
    when: () => app.session.phase === 'ready' && app.session.start?.folders === true,
    run: () => {
      before?.()
      app.commands.run(id)
    },
  })
  return [
    { id: 'view.api', ...named['view.api'], group: 'View', run: () => app.navigation.go('api') },
    {
      id: 'request.new',
      ...named['request.new'],
      group: 'Tabs',
      keys: ['Mod+T', 'Mod+N'],
      run: () => void app.navigation.newTab(),
    },
    { id: 'view.monitor', ...named['view.monitor'], group: 'View', run: () => app.navigation.go('monitor') },
    ...screens
      .filter((s) => !s.within)
      .map((s): Command => ({
        id: `monitor.${s.id}`,
        label: text.goTo(s.name),
        group: 'View',
        words: `monitor ${s.words}`,
        when: () => !app.portal.remote && (!s.demo || app.portal.demo),
        run: () => app.navigation.watch(s.id),
      })),
    {
      id: 'device.add',
      ...named['device.add'],
      group: 'View',
      when: () => !app.portal.remote,
      run: () => app.navigation.watch('fleet', '', { add: 'device' }),
    },
    {
      id: 'report.add',
      ...named['report.add'],
      group: 'View',
      when: () => !app.portal.remote,
      run: () => app.navigation.watch('reports', '', { row: 'new' }),
    },
    {
      id: 'monitor.back',
      ...named['monitor.back'],
      group: 'View',
      keys: isMac ? ['Mod+['] : ['Alt+ArrowLeft'], // on a Mac, ⌥ and an arrow move by a word
      when: inMonitor,
      run: () => void app.trail.back(),
    },
    {
      id: 'monitor.forward',
      ...named['monitor.forward'],
      group: 'View',
      keys: isMac ? ['Mod+]'] : ['Alt+ArrowRight'],
      when: inMonitor,
      run: () => void app.trail.forward(),
    },
    {
      id: 'link.copy',
      ...named['link.copy'],
      group: 'View',
      keys: ['Mod+Shift+L'],
      when: () => inMonitor() || withTab(),
      run: () => app.copyLink(),
    },
    {
      id: 'view.toggle',
      ...named['view.toggle'],
      group: 'View',
      run: () => app.navigation.go(app.navigation.view === 'api' ? 'monitor' : 'api'),
    },
    { id: 'view.welcome', ...named['view.welcome'], group: 'View', run: () => app.navigation.go('welcome') },
    { id: 'messages', ...named['messages'], group: 'View', run: () => app.commands.run('messages.open') },
    { id: 'tour', ...named['tour'], group: 'View', run: () => void app.commands.run('tour.start') },
    {
      id: 'palette',
      ...named['palette'],
      group: 'View',
      keys: ['Mod+K', 'Mod+Shift+P'],
      run: () => app.navigation.openPalette(),
    },
    {
      id: 'quick.switch',
      ...named['quick.switch'],
      group: 'View',
      keys: ['Mod+P'],
      run: () => app.navigation.openPalette('#'),
    },

    {
      id: 'request.send',
      ...named['request.send'],
      group: 'Request',
      keys: isMac ? ['Mod+Enter', 'Control+Enter', 'F5'] : ['Mod+Enter', 'F5'],
      when: withTab,
      run: () => void tab()?.draft.send(),
    },
    {
      id: 'request.watch',
      ...named['request.watch'],
      group: 'Request',
      keys: ['Mod+Shift+Enter'],
      when: () => withTab() && tab()!.draft.method === 'GET',
      run: () => void import('./response/watch/watching.svelte').then((m) => m.toggleWatch(app)),
    },
    { ...ofPart('request.across'), keys: ['Mod+Alt+Enter'] },
    {
      id: 'request.pages',
      ...named['request.pages'],
      group: 'Request',
      when: withPages,
      run: () => void tab()?.draft.sendAll(),
    },
    {
      id: 'request.pagesLargest',
      ...named['request.pagesLargest'],
      group: 'Request',
      when: withPages,
      run: () => void tab()?.draft.sendAll(true),
    },
    ofFile('request.pagesCsv', 'csv'),
    ofFile('request.pagesNdjson', 'ndjson'),
    ofFile('request.pagesJson', 'json'),
    {
      id: 'request.review',
      ...named['request.review'],
      group: 'Request',
      when: () => withTab() && ['PUT', 'PATCH'].includes(tab()!.draft.method),
      run: () => void app.sending.review(tab()!),
    },
    {
      id: 'request.reviewAlways',
      ...named['request.reviewAlways'],
      group: 'Request',
      run: () => app.settings.save({ reviewWrites: !app.sending.reviews }),
    },
    {
      id: 'write.undo',
      ...named['write.undo'],
      group: 'Request',
      when: () => withTab() && !!tab()!.draft.reply?.undo && !app.sending.undone.has(tab()!.draft.reply!.historyId),
      run: () => void app.sending.undo(tab()!.draft.reply!.historyId),
    },
    {
      id: 'request.cancel',
      ...named['request.cancel'],
      group: 'Request',
      keys: ['Escape'],
      when: () => withTab() && tab()!.draft.busy,
      run: () => tab()?.draft.stop(),
    },
    {
      id: 'request.save',
      ...named['request.save'],
      group: 'Request',
      keys: ['Mod+S'],
      when: withTab,
      run: () => void saveTab(app, tab()!),
    },
    ofPart('request.saveAs'),
    {
      id: 'exchange.import',
      ...named['exchange.import'],
      get words() {
        return words('exchange.import', app.session.formats)
      },
      group: 'Request',
      run: () => void app.commands.run('exchange.import'),
    },
    {
      id: 'collections.share',
      ...named['collections.share'],
      group: 'Request',
      when: () => app.session.phase === 'ready' && !app.session.start?.desktop,
      run: () => {
        app.library.toShare = 0
        app.commands.run('collections.share')
      },
    },
    ofFolders('collections.keep', () => (app.library.toKeep = 0)),
    ofFolders('collections.open'),
    {
      id: 'collections.stop',
      ...named['collections.stop'],
      group: 'Request',
      when: () => app.session.phase === 'ready' && app.library.kept.length === 1, // otherwise, use each menu
      run: () => void import('./collections/kept').then((k) => k.stopKeeping(app, app.library.kept[0])),
    },
    {
      id: 'exchange.export',
      ...named['exchange.export'],
      get words() {
        return words(
          'exchange.export',
          app.session.formats.filter((f) => f.writes || f.history),
        )
      },
      group: 'Request',
      run: () => {
        app.library.selected = []
        app.commands.run('exchange.export')
      },
    },
    {
      id: 'request.path',
      ...named['request.path'],
      group: 'Request',
      keys: ['Mod+L'],
      when: withTab,
      run: () => void app.commands.run('path.focus'),
    },
    ofPart('request.form'),
    ofPart('request.raw'),
    ofPart('request.curl'),
    {
      id: 'filter.build',
      ...named['filter.build'],
      group: 'Request',
      when: () => withTab() && !!tab()?.draft.endpoint?.params.some((p) => p.name === 'filter' && p.operators?.length),
      run: () => void app.commands.run('filter.build'),
    },
    ofPart('request.preview'),
    ofPart('request.reset'),
    {
      id: 'request.undo',
      ...named['request.undo'],
      group: 'Request',
      keys: ['Mod+Z'],
      when: () => undoesAction(app) || (withTab() && editsRequest()),
      run: () => (undoesAction(app) ? app.toasts.undo() : void tab()?.draft.undo()),
    },
    {
      id: 'request.redo',
      ...named['request.redo'],
      group: 'Request',
      keys: isMac ? ['Mod+Shift+Z'] : ['Mod+Shift+Z', 'Mod+Y'],
      when: () => withTab() && editsRequest(),
      run: () => void tab()?.draft.redo(),
    },

    {
      id: 'tab.close',
      ...named['tab.close'],
      group: 'Tabs',
      keys: ['Mod+W'],
      when: withTab,
      run: () => void app.workspace.close(tab()!),
    },
    {
      id: 'tab.others',
      ...named['tab.others'],
      group: 'Tabs',
      when: withTab,
      run: () => void app.workspace.closeOthers(tab()!),
    },
    {
      id: 'tab.reopen',
      ...named['tab.reopen'],
      group: 'Tabs',
      keys: ['Mod+Shift+T'],
      when: inApi,
      run: () => void app.workspace.reopen(),
    },
    {
      id: 'tab.duplicate',
      ...named['tab.duplicate'],
      group: 'Tabs',
      keys: ['Mod+D'],
      when: withTab,
      run: () => void app.workspace.duplicate(tab()!),
    },
    {
      id: 'tab.rename',
      ...named['tab.rename'],
      group: 'Tabs',
      keys: ['F2'],
      when: () => withTab() && !inCollections(),
      run: () => (tab()!.renaming = true),
    },
    { id: 'tab.pin', ...named['tab.pin'], group: 'Tabs', when: withTab, run: () => app.workspace.pin(tab()!) },
    {
      id: 'tab.right',
      ...named['tab.right'],
      group: 'Tabs',
      when: withTab,
      run: () => void app.workspace.closeRight(tab()!),
    },
    {
      id: 'tab.moveLeft',
      ...named['tab.moveLeft'],
      group: 'Tabs',
      keys: ['Control+Shift+PageUp'],
      when: withTab,
      run: () => app.workspace.shift(tab()!, -1),
    },
    {
      id: 'tab.moveRight',
      ...named['tab.moveRight'],
      group: 'Tabs',
      keys: ['Control+Shift+PageDown'],
      when: withTab,
      run: () => app.workspace.shift(tab()!, 1),
    },
    {
      id: 'tab.next',
      ...named['tab.next'],
      group: 'Tabs',
      keys: ['Control+Tab'],
      when: withTab,
      run: () => app.workspace.step(1),
    },
    {
      id: 'tab.previous',
      ...named['tab.previous'],
      group: 'Tabs',
      keys: ['Control+Shift+Tab'],
      when: withTab,
      run: () => app.workspace.step(-1),
    },

    ...Array.from({ length: 9 }, (_, i): Command => ({
      id: `tab.${i + 1}`,
      label: i < 8 ? text.goToTab(i + 1) : text.goToLastTab,
      group: 'Tabs',
      keys: [`Mod+${i + 1}`],
      when: inApi,
      run: () => app.workspace.nth(i + 1),
    })),

    {
      id: 'panel.variables',
      ...named['panel.variables'],
      group: 'View',
      keys: ['Mod+E'],
      run: () => void app.navigation.enterPanel('variables'),
    },
    {
      id: 'panel.history',
      ...named['panel.history'],
      group: 'View',
      keys: isMac ? ['Mod+Y'] : ['Mod+H'], // ⌘H hides a program
      run: () => void app.navigation.enterPanel('history'),
    },
    {
      id: 'panel.helpers',
      ...named['panel.helpers'],
      group: 'View',
      run: () => void app.navigation.enterPanel('helpers'),
    },
    { id: 'panel.docs', ...named['panel.docs'], group: 'View', run: () => void app.navigation.enterPanel('docs') },
    {
      id: 'find',
      ...named['find'],
      group: 'View',
      keys: ['Mod+F'],
      when: () => inApi() && !inEditor(),
      run: () => find(app),
    },
    {
      id: 'view.endpoints',
      ...named['view.endpoints'],
      group: 'View',
      run: () => void showLeft(app, 'left.endpoints'),
    },
    {
      id: 'view.collections',
      ...named['view.collections'],
      group: 'View',
      run: () => void showLeft(app, 'left.collections'),
    },
    ofView('response.json'),
    ofView('response.table'),
    ofView('response.chart'),
    ofView('response.raw'),
    ofView('response.headers'),
    ofView('response.checks', withTab),
    {
      id: 'response.snippets',
      ...named['response.snippets'],
      get words() {
        return words('response.snippets', app.session.languages)
      },
      group: 'View',
      when: withTab,
      run: () => void app.commands.runIfOffered('response.snippets'),
    },
    {
      id: 'response.expand',
      ...named['response.expand'],
      group: 'View',
      when: withAnswer,
      run: () => void inTree(app, 'response.expand'),
    },
    {
      id: 'response.collapse',
      ...named['response.collapse'],
      group: 'View',
      when: withAnswer,
      run: () => void inTree(app, 'response.collapse'),
    },
    {
      id: 'response.copy',
      ...named['response.copy'],
      group: 'View',
      when: () => withAnswer() && !tab()!.draft.reply!.binary,
      run: () => void app.commands.runIfOffered('response.copy'),
    },
    ofView('response.save'),
    {
      id: 'response.example',
      ...named['response.example'],
      group: 'View',
      when: withAnswer,
      run: () => void app.commands.runIfOffered('response.example'),
    },
    {
      id: 'response.compare',
      ...named['response.compare'],
      group: 'View',
      when: () => withAnswer() && tab()!.draft.reply!.json,
      run: () => void app.commands.runIfOffered('response.compare'),
    },
    ofView('response.filter', withTab),
    {
      id: 'catalog.search',
      ...named['catalog.search'],
      group: 'View',
      keys: ['Mod+Shift+F'],
      run: () => void searchCatalog(app),
    },
    {
      id: 'pane.left',
      ...named['pane.left'],
      group: 'View',
      keys: ['Mod+B'],
      when: inApi,
      run: () => void app.commands.run('pane.left'),
    },
    {
      id: 'pane.right',
      ...named['pane.right'],
      group: 'View',
      keys: ['Mod+Alt+B'],
      when: inApi,
      run: () => void app.commands.run('pane.right'),
    },
    {
      id: 'pane.next',
      ...named['pane.next'],
      group: 'View',
      keys: ['F6'],
      when: () => inApi() || inMonitor(),
      run: () => focusPane(1),
    },
    {
      id: 'pane.previous',
      ...named['pane.previous'],
      group: 'View',
      keys: ['Shift+F6'],
      when: () => inApi() || inMonitor(),
      run: () => focusPane(-1),
    },
    {
      id: 'settings',
      ...named['settings'],
      group: 'View',
      keys: ['Mod+,'],
      run: () => void app.commands.run('settings.open'),
    },
    {
      id: 'settings.keys',
      ...named['settings.keys'],
      group: 'View',
      run: () => void app.commands.run('settings.keys'),
    },
    {
      id: 'settings.https',
      ...named['settings.https'],
      group: 'View',
      run: () => void app.commands.run('settings.https'),
    },
    {
      id: 'settings.data',
      ...named['settings.data'],
      group: 'View',
      run: () => void app.commands.run('settings.data'),
    },
    {
      id: 'settings.reset',
      ...named['settings.reset'],
      group: 'View',
      run: () => void app.commands.run('settings.reset'),
    },
    {
      id: 'settings.about',
      ...named['settings.about'],
      group: 'View',
      run: () => void app.commands.run('settings.about'),
    },
    { id: 'keys', ...named['keys'], group: 'View', keys: ['Mod+/'], run: () => void app.commands.run('keys.open') },

    {
      id: 'zoom.in',
      ...named['zoom.in'],
      group: 'View',
      keys: ['Mod+=', 'Mod+Shift++', 'Mod++'],
      when: inWindow,
      run: () => app.settings.zoom(1),
    },
    {
      id: 'zoom.out',
      ...named['zoom.out'],
      group: 'View',
      keys: ['Mod+-'],
      when: inWindow,
      run: () => app.settings.zoom(-1),
    },
    {
      id: 'zoom.reset',
      ...named['zoom.reset'],
      group: 'View',
      keys: ['Mod+0'],
      when: inWindow,
      run: () => app.settings.zoom(0),
    },
    {
      id: 'window.full',
      ...named['window.full'],
      group: 'View',
      keys: isMac ? ['Control+Meta+F'] : ['F11'],
      when: inWindow,
      run: () => attempt(app.client.toggleFullScreen()),
    },
    {
      id: 'window.quit',
      ...named['window.quit'],
      group: 'Session',
      keys: ['Mod+Q'],
      when: inWindow,
      run: () => attempt(app.flush().then(() => app.client.quit())),
    },
    { id: 'theme.dark', ...named['theme.dark'], group: 'View', run: () => app.settings.save({ theme: 'dark' }) },
    { id: 'theme.light', ...named['theme.light'], group: 'View', run: () => app.settings.save({ theme: 'light' }) },
    { id: 'theme.system', ...named['theme.system'], group: 'View', run: () => app.settings.save({ theme: 'system' }) },
    {
      id: 'portal.add',
      ...named['portal.add'],
      group: 'Session',
      run: () => (app.portals.dialog = { what: 'edit', id: 0 }),
    },
    {
      id: 'portal.manage',
      ...named['portal.manage'],
      group: 'Session',
      run: () => (app.portals.dialog = { what: 'manage' }),
    },
    {
      id: 'portal.rehearse',
      ...named['portal.rehearse'],
      group: 'Session',
      when: () => app.portal.remote && app.session.start?.rehearsals === true,
      run: () => (app.portals.dialog = { what: 'rehearse', id: app.portal.id }),
    },
    {
      id: 'portal.lock',
      ...named['portal.lock'],
      group: 'Session',
      run: () => void app.portals.lock(!app.portal.readOnly),
    },
    {
      id: 'session.password',
      ...named['session.password'],
      group: 'Session',
      run: () => (app.portals.dialog = { what: 'password' }),
    },
    { id: 'session.out', ...named['session.out'], group: 'Session', run: () => void app.signOut() },
  ]
}

async function showLeft(app: App, pane: Extract<Action, `left.${string}`>) {
  app.navigation.go('api')
  await app.navigation.shown()
  app.commands.runIfOffered('catalog.open')
  await tick()
  app.commands.runIfOffered(pane)
}

/** Runs an action of the tree, also before it has loaded. */
async function inTree(app: App, name: 'response.expand' | 'response.collapse') {
  if (app.commands.runIfOffered(name)) return
  app.commands.runIfOffered('response.json')
  await tick()
  app.commands.runIfOffered(name)
}

function inCollections(): boolean {
  return document.activeElement?.closest('[role="tree"][aria-label="Collections"]') != null
}

async function searchCatalog(app: App) {
  app.navigation.go('api')
  await app.navigation.shown()
  app.commands.runIfOffered('catalog.open')
  await tick()
  app.commands.runIfOffered('left.endpoints')
  await tick()
  app.commands.runIfOffered('catalog.search')
}

/**
 * Whether undo takes back an action: anywhere right after one of the palette, otherwise not in fields and requests,
 * which have their own undo.
 */
function undoesAction({ toasts, navigation }: App): boolean {
  if (!toasts.undoable) return false
  if (toasts.fresh && toasts.offersUndo) return true
  const typing = inEditor() || document.activeElement?.matches('input, textarea, [contenteditable]')
  return !typing && navigation.view !== 'api'
}

/** Whether undo edits the request: fields outside it, and the editor, have their own undo. */
function editsRequest(): boolean {
  const at = document.activeElement
  if (inEditor()) return false
  return (
    !at?.matches('input, textarea, select, [contenteditable]') ||
    at.closest('[data-pane="request"]') !== null ||
    at.closest('[popover]') !== null
  )
}

function inEditor(): boolean {
  return document.activeElement?.closest('.cm-editor') != null
}

/** Opens the search of the focused pane, or of the response if none has the focus. */
function find(app: App) {
  if (document.activeElement?.closest('[data-pane="catalog"]')) app.commands.runIfOffered('catalog.search')
  else if (!app.commands.runIfOffered('response.find')) app.commands.runIfOffered('response.findInJson')
}

/** Focuses the next pane: its rows, or its first focusable element. */
function focusPane(by: number) {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(
    (p) => p.offsetWidth > 0 && p.offsetHeight > 0,
  )
  if (panes.length === 0) return
  const at = panes.findLastIndex((p) => p.contains(document.activeElement)) // the innermost
  const pane = panes[(at + by + panes.length) % panes.length]
  const inside =
    pane.querySelector<HTMLElement>(':is([role="grid"] [role="row"], [role="grid"], [role="tree"])[tabindex="0"]') ??
    pane.querySelector<HTMLElement>(
      'input:not([disabled]), [tabindex="0"], button:not([disabled]):not([tabindex="-1"]), select, textarea, .cm-content',
    )
  ;(inside ?? pane).focus()
}
