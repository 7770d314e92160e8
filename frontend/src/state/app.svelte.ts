import { getContext, setContext } from 'svelte'
import { asFault, type Client, type Portal, type Start } from '../client'
import { painted, touched } from '../ui/painted'
import { Toasts } from '../ui/toast.svelte'
import { Activity } from './activity.svelte'
import type { Catalog } from './catalog/catalog.svelte'
import { Library } from './collections/library.svelte'
import type { Command } from './command'
import { Commands, reportMissed } from './commands.svelte'
import { linking, listen, wire } from './hearing'
import { Live } from './monitor/live.svelte'
import { MonitorPlace } from './monitor/place.svelte'
import { Trail } from './monitor/trail'
import { Navigation, type Views } from './navigation.svelte'
import type { Page } from './page'
import type { Place } from './portals/place'
import { Portals } from './portals/portals.svelte'
import { Reach } from './portals/reach.svelte'
import type { Lookups } from './request/lookups'
import { Compare } from './response/compare.svelte'
import { Sending } from './sending/sending.svelte'
import { Session } from './session.svelte'
import { KeptSettings } from './settings.svelte'
import type { Workspace } from './tabs/workspace.svelte'
import { text } from './text'
import { Variables } from './variables.svelte'

/** The page as one object: it creates the parts, and does what concerns several of them. */
export class App implements Page {
  readonly session = new Session()
  readonly toasts = new Toasts()
  readonly activity = new Activity()
  readonly settings = new KeptSettings(
    () => this.client,
    (e) => this.saveFailed(e),
  )
  readonly variables = new Variables(() => this.client)
  readonly commands = new Commands(() => this.settings.values.keys, reportMissed)
  /** Changes of the portal. */
  readonly live = new Live()
  /** The place in the Monitor view. */
  readonly trail: Trail = new Trail((visit) => this.navigation.revisit(visit), globalThis.history)
  readonly monitor = new MonitorPlace((spot) => this.settings.save({ monitor: spot }), this.trail)
  readonly comparison: Compare = new Compare({ compare: (...args) => this.client.compare(...args) })
  readonly sending: Sending = new Sending(this)
  readonly reach: Reach = new Reach(this)
  readonly portals: Portals
  readonly library: Library
  readonly navigation: Navigation

  #unlisten: (() => void) | undefined

  /** The portal to which tabs, variables and history belong. */
  get portal(): Portal {
    return this.portals.shown
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

  constructor(client: Client, views: Views, commands: (app: App) => Command[] = () => []) {
    this.portals = new Portals(this, client, (place) => wire(this, place))
    this.library = new Library(client)
    this.navigation = new Navigation(views, this)
    this.commands.declare(commands(this))
  }

  /** Makes the only call before the first paint, while the code of the expected view loads. */
  async load({ view, screen }: { view?: string; screen?: string } = {}) {
    this.navigation.load(view, screen).catch(() => {}) // tried again below
    try {
      const start = await this.client.start()
      if (!start) return void (this.session.phase = 'signin')
      await this.navigation.load(start.settings?.view, start.settings?.monitor?.screen)
      this.#begin(start)
    } catch (e) {
      this.session.fault = asFault(e)
      this.session.phase = 'broken'
    }
  }

  /** Rejects with the Fault to show. Returns what the user must do before `enter`; empty if it has entered. */
  async signIn(username: string, password: string, code?: string): Promise<string> {
    const { must = '' } = await this.client.signIn(username, password, code)
    if (!must) await this.enter(username)
    return must
  }

  /** Shows the page, or what it showed before the session ended. */
  async enter(username: string) {
    if (this.session.ended && this.session.start?.user.name === username) {
      const start = await this.client.start()
      if (start) [this.session.start, this.portals.all] = [start, start.portals ?? [start.portal]]
      this.session.ended = false
      this.#listen() // the stream ended with the session
      this.activity.historyVersion++ // reads what was missed without a session
      await this.workspace.flush()
      return this.sending.resume()
    }
    this.session.ended = false
    await this.load()
  }

  /** Changes the user's password or second factor, which replaces the session. Rejects with the Fault to show. */
  async renewSession<T>(change: () => Promise<T>): Promise<T> {
    this.#unlisten?.() // of the session that ends
    try {
      const result = await change()
      this.session.ended = false
      return result
    } finally {
      this.#listen()
    }
  }

  async signOut() {
    await this.flush()
    try {
      await this.client.signOut()
    } catch (e) {
      return this.toasts.show(asFault(e).message, { tone: 'error' })
    }
    this.#unlisten?.()
    location.reload()
  }

  /**
   * Sets up a portal that is now shown: its tabs, unless they are loaded already, and its
   * variables.
   */
  arrived(start: Start, place: Place) {
    this.variables.all = start.variables ?? []
    this.variables.environments = start.environments ?? []
    this.activity.quota = null
    const again = place.restored
    if (!again) place.workspace.restore(start.tabs ?? [], this.settings.lastTab(place.id))
    place.restored = true
    const { view } = this.navigation
    if (view === 'api' && place.workspace.tabs.length === 0) place.workspace.open()
    // not needed earlier
    void (view === 'monitor' ? touched() : painted()).then(() => (again ? place.catalog.load() : place.catalog.settled))
    void this.reach.check()
    this.activity.historyVersion++
  }

  async flush(last = false) {
    await Promise.all([this.portals.flush(last), this.settings.flush(last)])
  }

  /** Opens the link in the address. The address keeps the link until it is open, so that a reload opens it again. */
  follow() {
    const [, link] = /^#((?:monitor|device|api|response|diff)\b.*)$/.exec(location.hash) ?? []
    if (!link || this.session.phase !== 'ready') return
    this.trail.arrived()
    void linking(this, (links) => links.openAddress(this, `spyglass://${link}`)).then(() => {
      if (location.hash === `#${link}`) history.replaceState(history.state, '', location.pathname + location.search)
    })
  }

  /** Copies the link to the current view, with more filters of the screen. */
  copyLink(filters: Record<string, string> = {}) {
    void linking(this, (links) => links.copyLink(this, filters))
  }

  /** Reports a failed save; without a session it shows the sign-in. */
  saveFailed(e: unknown) {
    const fault = asFault(e)
    if (fault.status === 401) this.session.ended = true
    else this.toasts.show(text.notSaved(fault.message), { tone: 'error' })
  }

  #begin(start: Start) {
    this.session.start = start
    this.settings.values = start.settings ?? {}
    this.navigation.restore(this.settings.values)
    this.portals.begin(start.portals ?? [start.portal], start.portal.id ?? 0)
    this.arrived(start, this.portals.place)
    this.session.phase = 'ready'
    const { api, monitor } = this.navigation.parts
    void touched()
      .then(() => Promise.all([api.ready(), monitor.ready()]))
      .catch(() => {}) // a later use tries again
    this.#notice(start.notice)
    this.#listen()
  }

  /** Shows the notice of the start until the user closes it; a later start shows another one only. */
  #notice(notice: string | null) {
    const { noticed = null } = this.settings.values
    if (noticed !== null && noticed !== notice) this.settings.save({ noticed: null })
    if (!notice || noticed === notice) return
    const onclose = () => this.settings.save({ noticed: notice })
    this.toasts.show(notice, { tone: 'warn', stay: true, onclose })
  }

  #listen() {
    this.#unlisten?.()
    this.#unlisten = listen(this)
  }
}

const key = Symbol('app')

export function setApp(app: App): App {
  return setContext(key, app)
}

export function useApp(): App {
  return getContext<App>(key)
}
