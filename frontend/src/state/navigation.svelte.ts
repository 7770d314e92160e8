import { tick, type Component } from 'svelte'
import type { DraftData, Endpoint, History, PanelName, Settings, View } from '../client'
import type { Side } from '../client/inspect'
import { Part } from '../ui/part.svelte'
import { text as partText } from '../ui/text'
import type { Toasts } from '../ui/toast.svelte'
import type { Commands } from './commands.svelte'
import type { MonitorPlace } from './monitor/place.svelte'
import type { Trail, Visit } from './monitor/trail'
import type { Portals } from './portals/portals.svelte'
import { used } from './recents'
import type { Compare } from './response/compare.svelte'
import type { KeptSettings } from './settings.svelte'
import type { OpenTab } from './tabs/tab.svelte'

type Load = () => Promise<{ default: Component }>

/** The views that load when they are first shown, and the screens of the Monitor view. */
export interface Views {
  api: Load
  monitor: Load
  screens: readonly { id: string; load: Load }[]
}

/** The parts that navigation works on. */
export interface Surroundings {
  settings: KeptSettings
  commands: Commands
  toasts: Toasts
  portals: Portals
  monitor: MonitorPlace
  trail: Trail
  comparison: Compare
}

/** The visible parts of the page, and how to navigate to them. */
export class Navigation {
  readonly parts: Record<'api' | 'monitor', Part>

  view = $state<View>('welcome')
  panel = $state<PanelName>('docs')
  /** Whether the command palette is open, and its initial query. */
  palette = $state(false)
  paletteQuery = $state('')
  /** The search in the docs of the endpoint. */
  docsQuery = $state({ endpoint: '', text: '' })

  constructor(
    private views: Views,
    private page: Surroundings,
  ) {
    this.parts = { api: new Part(views.api), monitor: new Part(views.monitor) }
  }

  /** Restores the view from the settings. */
  restore(settings: Settings) {
    this.panel = settings.panel ?? 'docs'
    this.view = settings.view ?? 'welcome'
    this.page.monitor.restore(settings.monitor)
    this.page.trail.begin({ view: this.view, spot: this.page.monitor.spot })
  }

  /** Shows a place again that was left. */
  revisit({ view, spot }: Visit) {
    this.page.monitor.restore(spot)
    this.page.settings.save({ monitor: spot })
    if (view !== this.view) this.go(view)
  }

  /** Loads the code of the first view completely, so that it appears in one paint. */
  async load(view?: string, screen = this.page.monitor.screen) {
    if (view === 'api') await this.parts.api.ready()
    if (view === 'monitor')
      await Promise.all([this.parts.monitor.ready(), this.views.screens.find((s) => s.id === screen)?.load()])
  }

  /** Shows a view, and stores it. An API view has at least one tab. */
  go(view: View) {
    const { settings, toasts, portals, trail } = this.page
    this.view = view
    settings.save({ view })
    trail.push({ view })
    if (view === 'api' && portals.place.workspace.tabs.length === 0) portals.place.workspace.open()
    if (view === 'api') void portals.place.catalog.settled
    if (view !== 'welcome') this.parts[view].ready().catch(() => toasts.show(partText.notLoaded, { tone: 'error' }))
  }

  /** Resolves when the selected view is shown with its commands, or failed to load. */
  async shown() {
    if (this.view !== 'welcome') await this.parts[this.view].ready().catch(() => {})
    await tick()
  }

  /** Shows a screen of the Monitor view, or an object on it. */
  watch(screen: string, id = '', filters: Record<string, string> = {}) {
    this.page.monitor.go(screen, id, filters, 'monitor')
    if (this.view !== 'monitor') this.go('monitor')
  }

  showPanel(panel: PanelName): Promise<unknown> {
    if (this.view !== 'api') this.go('api')
    this.panel = panel
    this.page.settings.save({ panel })
    return this.shown().then(() => this.page.commands.runIfOffered('tools.open'))
  }

  /** Shows a panel of the tools, with the focus in it. */
  async enterPanel(panel: PanelName) {
    await this.showPanel(panel)
    await tick()
    this.page.commands.runIfOffered('tools.enter')
  }

  /** `inNewTab` opens it in a new tab, even if the current one is untouched. */
  chooseEndpoint(endpoint: Endpoint, inNewTab = false): OpenTab {
    this.go('api')
    const tab = this.page.portals.place.workspace.choose(endpoint, inNewTab)
    this.showDocs()
    used(this.page, endpoint)
    return tab
  }

  openDraft(draft: DraftData): OpenTab {
    const tab = this.page.portals.place.workspace.open(draft)
    this.go('api') // second: without a tab it would open an empty one
    return tab
  }

  /** Shows the differences between two responses, before and after, instead of the response. */
  compare(left: Side, right: Side, ignore?: string[]) {
    const { comparison, portals } = this.page
    this.go('api')
    if (ignore) comparison.ignore = ignore
    comparison.tab = portals.place.workspace.activeKey
    void comparison.of(left, right)
  }

  openHistory(h: History): OpenTab {
    this.go('api')
    return this.page.portals.place.workspace.openHistory(h)
  }

  newTab(): OpenTab {
    const tab = this.page.portals.place.workspace.open()
    this.go('api')
    void this.shown().then(() => this.page.commands.runIfOffered('path.focus'))
    return tab
  }

  /** Brings Docs to the front, and opens the tools: an endpoint was selected, or its path typed. */
  showDocs() {
    void this.showPanel('docs')
  }

  /** Shows the docs, searched for one field or parameter. */
  findInDocs(name: string) {
    this.docsQuery = { endpoint: this.page.portals.place.workspace.active?.draft.endpoint?.id ?? '', text: name }
    void this.enterPanel('docs')
  }

  openPalette(query = '') {
    void this.page.portals.place.catalog.settled
    this.paletteQuery = query
    this.palette = true
  }
}
