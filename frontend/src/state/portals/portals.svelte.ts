import { asFault, type Client, type Portal, type Start } from '../../client'
import type { Toasts } from '../../ui/toast.svelte'
import type { OpenTab } from '../tabs/workspace.svelte'
import type { PortalDialog } from './dialog'
import { newPlace, nowhere, type Place } from './place'
import { text } from './text'

/** The parts of the page that showing another portal needs. */
export interface PortalsHome {
  readonly client: Client
  readonly session: { readonly start: Start | undefined; ended: boolean }
  readonly settings: { save(change: { activePortal: number }): void }
  readonly toasts: Pick<Toasts, 'show'>
  flush(): Promise<void>
  /**
   * Sets up a portal that is now shown: its tabs, unless they are loaded already, and its
   * variables.
   */
  arrived(start: Start, place: Place): void
}

/** The list of portals, and the selected one. Tabs, variables and history belong to a portal. */
export class Portals {
  /** All portals, the built-in one first. */
  all = $state.raw<Portal[]>([])
  /** The open dialog about portals. */
  dialog = $state.raw<PortalDialog>()
  switching = $state(false)
  #place: Place = $state.raw(undefined as unknown as Place) // set in the constructor
  #places = new Map<number, Place>()

  readonly shown: Portal = $derived.by(
    () => this.all.find((p) => p.id === this.#place.id) ?? this.app.session.start?.portal ?? nowhere,
  )
  /** Addresses that a pasted URL may begin with. */
  readonly bases: string[] = $derived.by(() =>
    [this.shown.baseUrl.replace(/\/$/, ''), this.shown.remote ? '' : `${location.origin}/api`].filter(Boolean),
  )

  /** `wire` connects a place to the page when it is first shown. */
  constructor(
    private app: PortalsHome,
    client: Client,
    private wire: (place: Place) => void,
  ) {
    this.#place = this.#prepare(0, client)
  }

  /** The state of the selected portal. */
  get place(): Place {
    return this.#place
  }

  /** The tabs of all opened portals: their requests continue while another portal is shown. */
  get tabs(): OpenTab[] {
    return [...this.#places.values()].flatMap((p) => p.workspace.tabs)
  }

  /** Sets the portals of the start, and the selected one. */
  begin(all: Portal[], id: number) {
    this.all = all
    this.#place = this.#at(id)
  }

  async reload() {
    this.all = await this.app.client.portals.all()
    if (!this.all.some((p) => p.id === this.#place.id)) await this.switchTo(0)
    for (const id of this.#places.keys()) if (!this.all.some((p) => p.id === id)) this.#places.delete(id)
  }

  /** Shows another portal: its tabs, variables and history. Running requests continue. */
  async switchTo(id: number) {
    if (this.switching || this.#place.id === id) return
    this.switching = true
    try {
      await this.app.flush()
      const gone = !this.all.some((p) => p.id === this.#place.id)
      if (!gone && this.#place.workspace.tabs.some((t) => t.saver.dirty))
        return this.app.toasts.show(text.portals.unsavedEdits(this.shown.name), { tone: 'error' })
      const place = this.#at(id)
      const start = await this.app.client.at(id).start() // the first place's client requests the portal shown last
      if (!start) return void (this.app.session.ended = true)
      if (start.portal.id !== id) throw new Error(text.portals.noLongerListed)
      this.app.settings.save({ activePortal: id })
      await this.app.flush() // before it is shown, so that a reload restores the portal shown last
      this.all = start.portals
      this.#place = place
      this.app.arrived(start, place)
    } catch (e) {
      this.app.toasts.show(text.portals.notSwitched(asFault(e).message), { tone: 'error' })
    } finally {
      this.switching = false
    }
  }

  /** Reloads a portal's catalog; without one, the built-in catalog is used, with a message. */
  async readCatalog(id: number) {
    try {
      const portal = await this.app.client.portals.readCatalog(id)
      await this.reload()
      if (this.#place.id === id) await this.#place.catalog.load()
      this.app.toasts.show(
        portal.catalogFrom
          ? text.portals.catalogOf(portal.name, portal.catalogFrom)
          : text.portals.hasNoCatalog(portal.name),
        { tone: portal.catalogFrom ? 'ok' : 'warn' },
      )
    } catch (e) {
      this.app.toasts.show(text.portals.catalogNotLoaded(asFault(e).message), { tone: 'warn' })
    }
  }

  async signOut(id: number) {
    try {
      await this.app.client.portals.signOut(id)
      await this.reload()
    } catch (e) {
      this.app.toasts.show(asFault(e).message, { tone: 'error' })
    }
  }

  /** Makes a portal read-only, by default the selected one, or unlocks it. */
  async lock(readOnly: boolean, { id, name }: Pick<Portal, 'id' | 'name'> = this.shown) {
    try {
      if (id) await this.app.client.portals.update(id, { readOnly })
      else await this.app.client.saveSettings({ portalReadOnly: readOnly })
      this.all = this.all.map((p) => (p.id === id ? { ...p, readOnly } : p)) // shown once it is stored
      this.app.toasts.show(readOnly ? text.portals.isReadOnly(name) : text.portals.isUnlocked(name))
    } catch (e) {
      this.app.toasts.show(text.portals.notChanged(asFault(e).message), { tone: 'error' })
    }
  }

  async flush(last = false) {
    await Promise.all([...this.#places.values()].map((p) => p.workspace.flush(last)))
  }

  #at(id: number): Place {
    return this.#places.get(id) ?? this.#prepare(id, this.#places.get(0)!.client.at(id))
  }

  #prepare(id: number, client: Client): Place {
    const place = newPlace(id, client, () => this.bases)
    this.wire(place)
    this.#places.set(id, place)
    return place
  }
}
