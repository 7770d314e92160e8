import { getContext, setContext, tick } from 'svelte'
import {
  asFault, type Client, type DraftData, type Endpoint, type Fault, type History, type PanelName, type Settings, type Start,
  type Theme, type User, type Variable, type View,
} from './client'
import { Catalog } from './catalog/catalog.svelte'
import { commandList, type Command } from './commands'
import { Saver } from './tabs/saver'
import { Workspace, type OpenTab } from './tabs/workspace.svelte'
import { Toasts, type ToastOptions } from './ui/toast.svelte'

export type Phase = 'loading' | 'broken' | 'signin' | 'ready'

/** The page as one value: who is signed in to what, what is shown, and every part's state. */
export class App {
  readonly catalog: Catalog
  readonly workspace: Workspace
  readonly commands: Command[]
  readonly toasts = new Toasts()

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
  /** The session ended while the page was open: sign in again over it. */
  sessionEnded = $state(false)
  /** Counts up when history changed, here or in another window. */
  historyVersion = $state(0)
  online = $state(true)

  readonly user: User | undefined = $derived(this.start?.user)
  /** Addresses that a pasted URL may begin with. */
  readonly bases: string[] = $derived.by(() => [this.start?.portal.baseUrl.replace(/\/$/, '') ?? '', `${location.origin}/api`].filter(Boolean))
  readonly theme: Theme = $derived(this.settings.theme ?? 'system')
  /** The last answer's quota, of whichever tab asked last. */
  quota = $state.raw<{ limit: number; remaining: number; window: number } | null>(null)

  #acts = new Map<string, () => void>()
  #change: Partial<Settings> = {}
  #settings: Saver
  #unlisten: (() => void) | undefined

  constructor(readonly client: Client) {
    this.catalog = new Catalog(client)
    this.workspace = new Workspace(client, this.catalog, () => this.bases)
    this.commands = commandList(this)
    this.#settings = new Saver((last) => this.#saveSettings(last), (e) => this.#saveFailed(e))
    this.workspace.onfault = (e) => this.#saveFailed(e)
    this.workspace.onactive = (tab) => void this.#remember(tab)
    this.workspace.onanswer = (tab) => {
      this.historyVersion++
      if (tab.draft.reply?.quota) this.quota = tab.draft.reply.quota
      if (tab.draft.fault?.status === 401) this.sessionEnded = true
    }
  }

  /** The one call before the first paint. */
  async load() {
    try {
      const start = await this.client.start()
      if (!start) return void (this.phase = 'signin')
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
      if (start) this.start = start
      this.sessionEnded = false
      await this.workspace.flush()
      return
    }
    this.sessionEnded = false
    await this.load()
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

  /** Merges into the settings now, and into Go's soon. */
  save(change: Partial<Settings>) {
    this.settings = { ...this.settings, ...change }
    this.#change = { ...this.#change, ...change }
    this.#settings.touch()
  }

  /** Shows a view, and remembers it. An API view has at least one tab. */
  go(view: View) {
    this.view = view
    this.save({ view })
    if (view === 'api' && this.workspace.tabs.length === 0) this.workspace.open()
  }

  showPanel(panel: PanelName) {
    if (this.view !== 'api') this.go('api')
    this.panel = panel
    this.save({ panel })
    void tick().then(() => this.act('tools.open'))
  }

  chooseEndpoint(endpoint: Endpoint): OpenTab {
    this.go('api')
    const tab = this.workspace.choose(endpoint)
    this.showDocs()
    const recents = [endpoint.id, ...(this.settings.recents ?? []).filter((id) => id !== endpoint.id)].slice(0, 8)
    this.save({ recents })
    return tab
  }

  openDraft(draft: DraftData): OpenTab {
    this.go('api')
    return this.workspace.open(draft)
  }

  openHistory(h: History): OpenTab {
    this.go('api')
    return this.workspace.openHistory(h)
  }

  newTab(): OpenTab {
    this.view = 'api'
    this.save({ view: 'api' })
    const tab = this.workspace.open()
    void tick().then(() => this.act('path.focus'))
    return tab
  }

  /** Docs come to the front when an endpoint is chosen. */
  showDocs() {
    this.panel = 'docs'
    this.save({ panel: 'docs' })
  }

  /** One step larger or smaller, or back to actual size by 0. */
  zoom(by: -1 | 0 | 1) {
    const now = this.settings.zoom ?? 1
    this.save({ zoom: by === 0 ? 1 : Math.round(Math.max(0.5, Math.min(2.5, now + by * 0.1)) * 10) / 10 })
  }

  openPalette(query = '') {
    this.paletteQuery = query
    this.palette = true
  }

  async reloadVariables() {
    this.variables = (await this.client.variables.list({ size: 1000 })).items
  }

  variable(name: string): Variable | undefined {
    return this.variables.find((v) => v.name === name && v.scope === 'portal') ?? this.variables.find((v) => v.name === name)
  }

  toast(text: string, options?: ToastOptions) {
    this.toasts.show(text, options)
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
    await Promise.all([this.workspace.flush(last), this.#settings.flush(last)])
  }

  #begin(start: Start) {
    this.start = start
    this.settings = start.settings ?? {}
    this.variables = start.variables ?? []
    this.panel = this.settings.panel ?? 'docs'
    this.view = this.settings.view ?? 'welcome'
    this.workspace.restore(start.tabs ?? [], this.settings.activeTab)
    if (this.view === 'api' && this.workspace.tabs.length === 0) this.workspace.open()
    this.phase = 'ready'
    if (start.notice) this.toast(start.notice, { tone: 'warn', stay: true })
    void this.catalog.load()
    this.#unlisten?.()
    this.#unlisten = this.client.listen({
      progress: (e) => {
        const tab = this.workspace.tabs.find((t) => t.draft.busy && t.draft.sendId === e.sendId)
        if (tab) [tab.draft.received, tab.draft.expected] = [e.received, e.expected]
      },
      workspace: (e) => {
        if (e.kind === 'variables') void this.reloadVariables().catch(() => {})
        if (e.kind === 'history') this.historyVersion++
      },
      session: () => (this.sessionEnded = true),
    })
  }

  async #remember(tab: OpenTab) {
    try {
      const id = await tab.stored()
      if (this.workspace.active === tab && this.settings.activeTab !== id) this.save({ activeTab: id })
    } catch (e) {
      this.#saveFailed(e)
    }
  }

  async #saveSettings(last: boolean) {
    const change = this.#change
    this.#change = {}
    try {
      await this.client.saveSettings(change, last)
    } catch (e) {
      this.#change = { ...change, ...this.#change }
      throw e
    }
  }

  #saveFailed(e: unknown) {
    const fault = asFault(e)
    if (fault.status === 401) this.sessionEnded = true
    else this.toast(`Not saved: ${fault.message}`, { tone: 'error' })
  }
}

const key = Symbol('app')

export function setApp(app: App): App {
  return setContext(key, app)
}

export function useApp(): App {
  return getContext<App>(key)
}
