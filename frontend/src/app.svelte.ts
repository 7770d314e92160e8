import { getContext, setContext, tick } from 'svelte'
import {
  asFault, type Client, type DraftData, type Endpoint, type Fault, type Fonts, type History, type PanelName, type Portal, type Settings, type Start,
  type Theme, type User, type Variable, type View,
} from './client'
import type { Side } from './client/ask'
import type { DataProgress } from './client/data'
import { Compare } from './response/compare.svelte'
import type { Catalog } from './catalog/catalog.svelte'
import { used } from './catalog/recents'
import { Library } from './collections/library.svelte'
import { commandList, type Command } from './commands'
import type { Place } from './portals/place'
import { Portals } from './portals/portals.svelte'
import { Reach } from './portals/reach.svelte'
import type { Lookups } from './request/lookups'
import { listen, wire } from './hearing'
import { remappable } from './keymap'
import { keyLabel } from './keys'
import { openLink, pageOf } from './link'
import { Live } from './monitor/live.svelte'
import { MonitorPlace } from './monitor/place.svelte'
import { screens } from './monitor/screens'
import { Sending } from './sending/sending.svelte'
import { Saver } from './tabs/saver'
import type { OpenTab, Workspace } from './tabs/workspace.svelte'
import { painted, touched } from './ui/painted'
import { Part } from './ui/part.svelte'
import { text as partText } from './ui/text'
import { Toasts, type ToastOptions } from './ui/toast.svelte'
import { text } from './text'
import type { Views } from './views'

export type Phase = 'loading' | 'broken' | 'signin' | 'ready'

/** The page as one value: who is signed in to what, what is shown, and every part's state. */
export class App {
  readonly portals: Portals
  readonly library: Library
  readonly commands: Command[]
  readonly toasts = new Toasts()
  readonly sending: Sending = new Sending(this)
  readonly reach: Reach = new Reach(this)
  readonly comparison: Compare = new Compare({ compare: (...asked) => this.client.compare(...asked) })

  readonly parts: Record<keyof Views, Part>

  /** What the portal tells of its changes. */
  readonly live = new Live()
  /** Where one is in the Monitor view. */
  readonly monitor = new MonitorPlace((spot) => this.save({ monitor: spot }))

  phase = $state<Phase>('loading')
  /** Why the page could not start. */
  fault = $state.raw<Fault>()
  start = $state.raw<Start>()
  settings = $state.raw<Settings>({})
  variables = $state.raw<Variable[]>([])
  view = $state<View>('welcome')
  panel = $state<PanelName>('docs')
  /** Whether the command palette is open, and what it begins with. */
  palette = $state(false)
  paletteQuery = $state('')
  /** What is looked for in the docs of the endpoint. */
  docsQuery = $state({ endpoint: '', text: '' })
  /** The session ended while the page was open: sign in again over it. */
  sessionEnded = $state(false)
  /** Counts up when history changed, here or in another window. */
  historyVersion = $state(0)

  readonly user: User | undefined = $derived(this.start?.user)
  readonly theme: Theme = $derived(this.settings.theme ?? 'system')
  /** Of a list's rows that are placed by number, of one line and of two: --h-row and --h-row-2 in tokens.css. Pixels. */
  readonly rowHeight: number = $derived({ compact: 24, normal: 28, roomy: 34 }[this.settings.density ?? 'normal'])
  readonly rowHeight2: number = $derived({ compact: 40, normal: 44, roomy: 52 }[this.settings.density ?? 'normal'])
  systemIsLight = $state(false)
  /** What the page is drawn in: canvases are painted anew when it changes. */
  readonly colours: 'dark' | 'light' = $derived(this.theme === 'system' ? (this.systemIsLight ? 'light' : 'dark') : this.theme)
  /** The last answer's quota, of whichever tab asked last. */
  quota = $state.raw<{ limit: number; remaining: number; window: number } | null>(null)

  /** Hears how far a backup or a restore is. */
  ondata: (progress: DataProgress) => void = () => {}

  #acts = new Map<string, () => void>()
  #change: { [K in keyof Settings]?: Settings[K] | null } = {}
  #settings: Saver
  #unlisten: (() => void) | undefined

  /** The portal that tabs, variables and history belong to. */
  get portal(): Portal {
    return this.portals.shown
  }
  get bases(): string[] {
    return this.portals.bases
  }
  get client(): Client {
    return this.portals.place.client
  }
  get catalog(): Catalog {
    return this.portals.place.catalog
  }
  get lookups(): Lookups {
    return this.portals.place.lookups
  }
  get workspace(): Workspace {
    return this.portals.place.workspace
  }

  constructor(client: Client, views: Views) {
    this.parts = { api: new Part(views.api), monitor: new Part(views.monitor) }
    this.portals = new Portals(this, client, (place) => wire(this, place))
    this.commands = remappable(commandList(this), () => this.settings.keys)
    this.#settings = new Saver(() => this.#saveSettings(), (e) => this.saveFailed(e))
    this.library = new Library(client)
  }

  /** The one call before the first paint. The code of what the server knew to be shown comes beside it. */
  async load({ view, screen }: { view?: string; screen?: string } = {}) {
    this.#codeOf(view, screen).catch(() => {}) // asked for again below
    try {
      const start = await this.client.start()
      if (!start) return void (this.phase = 'signin')
      await this.#codeOf(start.settings?.view, start.settings?.monitor?.screen)
      this.#begin(start)
    } catch (e) {
      this.fault = asFault(e)
      this.phase = 'broken'
    }
  }

  /** Rejects with the Fault to show. */
  async signIn(username: string, password: string) {
    await this.client.signIn(username, password)
    if (this.sessionEnded && this.start?.user.name === username) {
      const start = await this.client.start()
      if (start) [this.start, this.portals.all] = [start, start.portals ?? [start.portal]]
      this.sessionEnded = false
      this.#listen() // the stream ended with the session
      this.historyVersion++ // what could not be read meanwhile
      await this.workspace.flush()
      return this.sending.resume()
    }
    this.sessionEnded = false
    await this.load()
  }

  /** Rejects with the Fault to show. */
  async changePassword(password: string, newPassword: string) {
    this.#unlisten?.() // its session ends with the password
    try {
      await this.client.changePassword(password, newPassword)
      this.sessionEnded = false
    } finally {
      this.#listen()
    }
  }

  async signOut() {
    await this.flush()
    try {
      await this.client.signOut()
    } catch (e) {
      return this.toast(asFault(e).message, { tone: 'error' })
    }
    this.#unlisten?.()
    location.reload()
  }

  /** Merges into the settings now, and into Go's soon. Null forgets one. */
  save(change: { [K in keyof Settings]?: Settings[K] | null }) {
    this.settings = Object.fromEntries(Object.entries({ ...this.settings, ...change }).filter(([, value]) => value !== null))
    this.#change = { ...this.#change, ...change }
    this.#settings.touch()
  }

  /** What the window is told at its next start: fonts come and go. */
  remember(fonts: Fonts | undefined) {
    if (fonts && (fonts.ui !== this.settings.fonts?.ui || fonts.code !== this.settings.fonts.code)) this.save({ fonts })
  }

  /** Shows a view, and remembers it. An API view has at least one tab. */
  go(view: View) {
    this.view = view
    this.save({ view })
    if (view === 'api' && this.workspace.tabs.length === 0) this.workspace.open()
    if (view === 'api') void this.catalog.settled
    if (view !== 'welcome') this.parts[view].ready().catch(() => this.toast(partText.notLoaded, { tone: 'error' }))
  }

  /** Resolves when the chosen view is on the page, and offers what it can do, or is known not to come. */
  async shown() {
    if (this.view !== 'welcome') await this.parts[this.view].ready().catch(() => {})
    await tick()
  }

  /** Shows a screen of the Monitor view, or an object on it. */
  watch(screen: string, id = '', filters: Record<string, string> = {}) {
    this.monitor.go(screen, id, filters)
    if (this.view !== 'monitor') this.go('monitor')
  }

  showPanel(panel: PanelName): Promise<unknown> {
    if (this.view !== 'api') this.go('api')
    this.panel = panel
    this.save({ panel })
    return this.shown().then(() => this.act('tools.open'))
  }

  /** Shows a panel of the tools, with the focus in it. */
  async enterPanel(panel: PanelName) {
    await this.showPanel(panel)
    await tick()
    this.act('tools.enter')
  }

  /** `anew` opens it in a tab of its own. */
  chooseEndpoint(endpoint: Endpoint, anew = false): OpenTab {
    this.go('api')
    const tab = this.workspace.choose(endpoint, anew)
    this.showDocs()
    used(this, endpoint)
    return tab
  }

  openDraft(draft: DraftData): OpenTab {
    const tab = this.workspace.open(draft)
    this.go('api') // second: without a tab it would open an empty one
    return tab
  }

  /** Shows what differs between two answers, in place of the response: before and after. */
  compare(left: Side, right: Side) {
    this.go('api')
    this.comparison.tab = this.workspace.activeKey
    void this.comparison.of(left, right)
  }

  openHistory(h: History): OpenTab {
    this.go('api')
    return this.workspace.openHistory(h)
  }

  newTab(): OpenTab {
    const tab = this.workspace.open()
    this.go('api')
    void this.shown().then(() => this.act('path.focus'))
    return tab
  }

  /** Brings Docs to the front, and opens the tools: an endpoint was selected, or its path typed. */
  showDocs() {
    void this.showPanel('docs')
  }

  /** The key of a command as people read it, '' when it has none. */
  keyOf(id: string): string {
    return keyLabel(this.commands.find((c) => c.id === id))
  }

  /** Docs come to the front with one field or parameter looked for. */
  findInDocs(name: string) {
    this.docsQuery = { endpoint: this.workspace.active?.draft.endpoint?.id ?? '', text: name }
    void this.enterPanel('docs')
  }

  /** One step larger or smaller, or back to actual size by 0. */
  zoom(by: -1 | 0 | 1) {
    const now = this.settings.zoom ?? 1
    this.save({ zoom: by === 0 ? 1 : Math.round(Math.max(0.5, Math.min(2.5, now + by * 0.1)) * 10) / 10 })
  }

  openPalette(query = '') {
    void this.catalog.settled
    this.paletteQuery = query
    this.palette = true
  }

  async reloadVariables() {
    this.variables = (await this.client.variables.list({ size: 1000 })).items
  }

  variable(name: string): Variable | undefined {
    return this.variables.find((v) => v.name === name && v.scope === 'portal') ?? this.variables.find((v) => v.name === name)
  }

  /** A portal is shown: its tabs, unless they are here already, and its variables. */
  arrived(start: Start, place: Place) {
    this.variables = start.variables ?? []
    this.quota = null
    const again = place.restored
    if (!again) place.workspace.restore(start.tabs ?? [], this.lastTab(place.id))
    place.restored = true
    if (this.view === 'api' && place.workspace.tabs.length === 0) place.workspace.open()
    void (this.view === 'monitor' ? touched() : painted()).then(() => (again ? place.catalog.load() : place.catalog.settled)) // a MB, of which nothing is seen before
    void this.reach.ask()
    this.historyVersion++
  }

  toast(words: string, options?: ToastOptions) {
    this.toasts.show(words, options)
  }

  /** A part of the page offers something commands can call; the answer takes it back. */
  offer(name: string, run: () => void): () => void {
    this.#acts.set(name, run)
    return () => {
      if (this.#acts.get(name) === run) this.#acts.delete(name)
    }
  }

  /** Runs what a part offers under the name. False when no part does. */
  act(name: string): boolean {
    const run = this.#acts.get(name)
    run?.()
    return run !== undefined
  }

  async flush(last = false) {
    await Promise.all([this.portals.flush(last), this.#settings.flush(last)])
  }

  /** What is shown first comes whole, in one paint. */
  async #codeOf(view?: string, screen = this.monitor.screen) {
    if (view === 'api') await this.parts.api.ready()
    if (view === 'monitor') await Promise.all([this.parts.monitor.ready(), screens.find((s) => s.id === screen)?.load()])
  }

  /** Goes where the address leads, once: the page keeps by itself where it is. */
  follow() {
    const to = pageOf(location.hash)
    if (!to || this.phase !== 'ready') return
    history.replaceState(null, '', location.pathname + location.search)
    void openLink(this, to)
  }

  #begin(start: Start) {
    this.start = start
    this.settings = start.settings ?? {}
    this.panel = this.settings.panel ?? 'docs'
    this.view = this.settings.view ?? 'welcome'
    this.monitor.restore(this.settings.monitor)
    this.portals.begin(start.portals ?? [start.portal], start.portal.id ?? 0)
    this.arrived(start, this.portals.place)
    this.phase = 'ready'
    void touched().then(() => Promise.all([this.parts.api.ready(), this.parts.monitor.ready()])).catch(() => {}) // who needs one then asks again
    if (start.notice) this.toast(start.notice, { tone: 'warn', stay: true })
    this.#listen()
  }

  #listen() {
    this.#unlisten?.()
    this.#unlisten = listen(this)
  }

  /** The tab that was looked at last at a portal. */
  lastTab(id: number): number | undefined {
    return id ? this.settings.activeTabs?.[id] : this.settings.activeTab
  }

  async #saveSettings() {
    const change = this.#change
    this.#change = {}
    try {
      await this.client.saveSettings(change)
    } catch (e) {
      this.#change = { ...change, ...this.#change }
      throw e
    }
  }

  /** What could not be kept is told; without a session, by asking to sign in. */
  saveFailed(e: unknown) {
    const fault = asFault(e)
    if (fault.status === 401) this.sessionEnded = true
    else this.toast(text.notSaved(fault.message), { tone: 'error' })
  }
}

const key = Symbol('app')

export function setApp(app: App): App {
  return setContext(key, app)
}

export function useApp(): App {
  return getContext<App>(key)
}
