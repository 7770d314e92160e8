import type { SavedFile } from '../../client/sending'
import type { Client, DraftData, Endpoint, History, Tab } from '../../client'
import type { Catalog } from '../catalog/catalog.svelte'
import { draftOf, emptyDraft } from '../request/draft.svelte'
import { Mirror } from './mirror'
import { OpenTab } from './tab.svelte'

export type { OpenTab }

/** The open tabs: the active one, and opening, closing and storing them. */
export class Workspace {
  tabs = $state<OpenTab[]>([])
  activeKey = $state(0)
  readonly active: OpenTab | undefined = $derived(this.tabs.find((t) => t.key === this.activeKey))
  #recent: number[] = []
  #keys = 0

  /** Called before a tab's request is sent; false cancels it. */
  before: (tab: OpenTab, anyway: boolean) => boolean | Promise<boolean> = () => true
  /** Called when a write failed, a response arrived, or another tab became active. */
  onfault: (e: unknown) => void = () => {}
  onanswer: (tab: OpenTab) => void = () => {}
  /** Called when a list was saved to a file. */
  onsaved: (file: SavedFile) => void = () => {}
  onactive: (tab: OpenTab) => void = () => {}
  /** Called with closed tabs that can be reopened. */
  onclosed: (tabs: OpenTab[]) => void = () => {}
  #mirror: Mirror

  constructor(
    readonly client: Pick<Client, 'tabs' | 'history' | 'send' | 'pages' | 'steer' | 'unfold'>,
    readonly catalog: Catalog,
    /** Addresses that a pasted URL may begin with. */
    readonly bases: () => string[] = () => [],
  ) {
    this.#mirror = new Mirror(this)
  }

  /** Restores all tabs. `active` is the id in Go. */
  restore(tabs: Tab[], active: number | undefined) {
    this.tabs = tabs.map((t) => new OpenTab(++this.#keys, t, this, t.id))
    this.arrange()
    const tab = this.tabs.find((t) => t.id === active) ?? this.tabs[0]
    if (tab) this.activate(tab)
  }

  /** Opens a new tab beside the others, and activates it. */
  open(draft: DraftData = emptyDraft(), more: Partial<Tab> = {}): OpenTab {
    const position = Math.max(0, ...this.tabs.map((t) => t.position)) + 1
    const tab = new OpenTab(
      ++this.#keys,
      {
        position,
        name: '',
        pinned: false,
        saved: draft,
        historyId: 0,
        view: {},
        requestId: 0,
        version: 0,
        closed: 0,
        ...more,
        draft,
      },
      this,
    )
    this.tabs.push(tab)
    this.activate(tab)
    tab.saver.touch()
    return tab
  }

  /** Uses the active tab if it is unedited, or opens a new one. */
  choose(endpoint: Endpoint, inNewTab = false): OpenTab {
    const tab = this.active
    if (inNewTab || !tab?.untouched) return this.open(draftOf(endpoint))
    tab.begin(endpoint)
    return tab
  }

  /** Opens a past request in a new tab, with its response if it is stored. */
  openHistory(h: History): OpenTab {
    const empty = this.active && !this.active.changed && !this.active.draft.path && !this.active.name
    if (empty) void this.close(this.active!, false)
    const tab = this.open(h.draft, { historyId: h.kept ? h.id : 0 })
    void tab.restore()
    return tab
  }

  activate(tab: OpenTab) {
    this.activeKey = tab.key
    this.#recent = [...this.#recent.filter((k) => k !== tab.key), tab.key]
    void tab.restore()
    this.onactive(tab)
  }

  /** Closes a tab. It can be reopened, unless remember is false. */
  async close(tab: OpenTab, remember = true) {
    if (remember && tab.changed) this.onclosed([tab])
    await this.#shut(tab, remember)
  }

  async closeOthers(tab: OpenTab) {
    await this.#closeAll(this.tabs.filter((t) => t !== tab && !t.pinned))
  }

  async closeRight(tab: OpenTab) {
    await this.#closeAll(this.tabs.slice(this.tabs.indexOf(tab) + 1).filter((t) => !t.pinned))
  }

  async #closeAll(tabs: OpenTab[]) {
    if (tabs.length) this.onclosed(tabs)
    await Promise.all(tabs.map((t) => this.#shut(t, true)))
  }

  async #shut(tab: OpenTab, remember: boolean) {
    const at = this.tabs.indexOf(tab)
    if (at < 0) return
    const work = tab.shut(remember && (tab.draft.path !== '' || tab.changed || tab.name !== ''))
    this.#mirror.closing(tab, work)
    this.drop(tab)
    try {
      await work
    } catch (e) {
      this.onfault(e)
    }
  }

  /** Removes a tab from the page; Go keeps it. */
  drop(tab: OpenTab) {
    const at = this.tabs.indexOf(tab)
    this.tabs.splice(at, 1)
    this.#recent = this.#recent.filter((k) => k !== tab.key)
    if (this.activeKey !== tab.key) return
    const next = this.tabs.find((t) => t.key === this.#recent.at(-1)) ?? this.tabs[Math.min(at, this.tabs.length - 1)]
    if (next) this.activate(next)
  }

  /** Reopens the tab closed last, even one from before the page was loaded. */
  async reopen(): Promise<OpenTab | undefined> {
    try {
      await this.#mirror.settled()
      const closed = (await this.client.tabs.list({ filter: 'closed>0', sort: '-closed', size: 25 })).items
      const next = closed.find((t) => !this.tabs.some((open) => open.id === t.id))
      return next && (await this.bringBack(next.id))
    } catch (e) {
      this.onfault(e)
      return undefined
    }
  }

  /** Opens tabs again that were closed here. */
  async reopenThese(tabs: OpenTab[]) {
    try {
      await this.#mirror.settled()
      for (const tab of tabs) if (tab.id) await this.bringBack(tab.id)
    } catch (e) {
      this.onfault(e)
    }
  }

  private async bringBack(id: number): Promise<OpenTab> {
    const data = await this.client.tabs.update(id, { closed: 0 })
    const tab = this.show(data)
    this.activate(tab)
    return tab
  }

  /** Shows a stored tab at its position. */
  show(data: Tab): OpenTab {
    const open = this.tabs.find((t) => t.id === data.id)
    if (open) return open
    const tab = new OpenTab(++this.#keys, data, this, data.id)
    this.tabs.push(tab)
    this.arrange()
    return tab
  }

  /** Sorts pinned tabs first, the rest by position. */
  arrange() {
    this.tabs = [...this.tabs].sort((a, b) => Number(b.pinned) - Number(a.pinned) || a.position - b.position)
  }

  /** Applies changes of another window after a short delay. */
  follow() {
    this.#mirror.look()
  }

  pin(tab: OpenTab, pinned = !tab.pinned) {
    tab.pinned = pinned
    tab.saver.touch()
    this.move(tab, this.tabs.filter((t) => t.pinned && t !== tab).length)
  }

  duplicate(tab: OpenTab): OpenTab {
    return this.open(tab.draft.data(), { name: tab.name, saved: tab.saved, view: tab.view })
  }

  /** Activates the next tab by position, or the previous one for -1; it wraps around. */
  step(by: number) {
    const at = this.tabs.findIndex((t) => t.key === this.activeKey)
    const next = this.tabs[(at + by + this.tabs.length) % this.tabs.length]
    if (next) this.activate(next)
  }

  /** Activates the n-th tab from 1; 9 is the last. */
  nth(n: number) {
    const tab = n === 9 ? this.tabs.at(-1) : this.tabs[n - 1]
    if (tab) this.activate(tab)
  }

  /** Moves a tab among pinned or among other tabs: pinned tabs stay first. */
  move(tab: OpenTab, to: number) {
    const pins = this.tabs.filter((t) => t.pinned && t !== tab).length
    to = tab.pinned ? Math.min(to, pins) : Math.max(to, pins)
    const rest = this.tabs.filter((t) => t !== tab)
    rest.splice(to, 0, tab)
    rest.forEach((t, i) => {
      if (t.position !== i + 1) {
        t.position = i + 1
        t.saver.touch()
      }
    })
    this.tabs = rest
  }

  /** Moves a tab one place to the left or to the right. */
  shift(tab: OpenTab, by: -1 | 1) {
    this.move(tab, Math.max(0, this.tabs.indexOf(tab) + by))
  }

  rename(tab: OpenTab, name: string) {
    const text = name.trim()
    tab.name = text === tab.draft.line ? '' : text
    tab.renaming = false
    tab.saver.touch()
  }

  /** Stores everything that is not stored yet. */
  async flush(last = false) {
    await Promise.all(this.tabs.map((t) => t.saver.flush(last)))
  }
}
