import type { App } from '../../state/app.svelte'
import type { Command } from '../../state/command'
import { keyLabel } from '../../ui/keys'
import { screens } from '../../monitor/screens'
import type { IconName } from '../../ui/icons'
import type { Entry, Source } from '../entries'
import { text } from '../text'

const icons: Record<string, IconName> = {
  ...Object.fromEntries(screens.map((s) => [`monitor.${s.id}`, s.icon])),
  'view.api': 'code',
  'view.monitor': 'pulse',
  'view.welcome': 'home',
  'view.toggle': 'code',
  'device.add': 'plus',
  'report.add': 'plus',
  'request.new': 'plus',
  'request.send': 'send',
  'request.cancel': 'stop',
  'request.save': 'download',
  'request.path': 'pencil',
  'request.reset': 'undo',
  'tab.close': 'close',
  'tab.others': 'close',
  'tab.reopen': 'undo',
  'tab.duplicate': 'copy',
  'tab.rename': 'pencil',
  'panel.variables': 'braces',
  'panel.history': 'history',
  'panel.helpers': 'divide',
  'panel.docs': 'book',
  find: 'search',
  'catalog.search': 'search',
  'pane.left': 'sidebar',
  'pane.right': 'sidebar',
  keys: 'keyboard',
  settings: 'sliders',
  'settings.keys': 'keyboard',
  'theme.dark': 'moon',
  'theme.light': 'sun',
  'theme.system': 'system',
  'session.out': 'out',
  'session.password': 'key',
  'portal.add': 'plus',
  'portal.manage': 'globe',
  'portal.rehearse': 'copy',
  'portal.lock': 'lock',
}
const places = new Set([
  ...screens.map((s) => `monitor.${s.id}`),
  'view.api',
  'request.new',
  'view.monitor',
  'view.welcome',
  'panel.variables',
  'panel.history',
  'panel.helpers',
  'panel.docs',
  'catalog.search',
  'request.path',
  'keys',
  'settings',
])
const hidden = new Set(['palette', 'quick.switch'])

export default [
  {
    group: 'Go to',
    order: 10,
    prefixes: '>',
    most: 8,
    first: 8,
    list: (app) => commands(app, true),
  },
  {
    group: 'Run',
    order: 20,
    prefixes: '>',
    most: 8,
    first: 4,
    list: (app) => commands(app, false),
  },
] satisfies Source[]

function commands(app: App, place: boolean): Entry[] {
  return app.commands.list
    .filter((c) => !hidden.has(c.id) && places.has(c.id) === place && (c.when?.() ?? true))
    .map((c) => entry(c, app))
}

function entry(c: Command, app: App): Entry {
  const here =
    (c.id === 'view.api' && app.navigation.view === 'api') ||
    (c.id === 'view.monitor' && app.navigation.view === 'monitor')
  return {
    id: c.id,
    text: c.label,
    hint: here ? text.commands.currentView : '',
    words: `${c.group} ${c.words ?? ''}`,
    key: keyLabel(c),
    icon: icons[c.id] ?? 'right',
    run: () => c.run(),
  }
}
