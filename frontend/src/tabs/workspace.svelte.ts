import type { Client, DraftData, Endpoint, History, Tab } from '../client'
import type { Catalog } from '../catalog/catalog.svelte'
import { contentOf, Draft, draftOf, emptyDraft } from '../request/draft.svelte'
import type { OffField } from '../request/form'
import { Saver } from './saver'

/** One tab: a draft, its name and what it was last saved as. */
export class OpenTab {
  /** Identity on the page; the id in Go comes when Go has stored it. */
  readonly key: number
  id = $state(0)
  position = $state(0)
  name = $state('')
  pinned = $state(false)
  saved = $state.raw<DraftData | null>(null)
  historyId = $state(0)
  view = $state.raw<Record<string, unknown>>({})
  renaming = $state(false)
  readonly draft: Draft
  readonly saver: Saver
  #created: Promise<number> | undefined
  #restored = false

  /** `GET /device/devices`, until renamed by hand. */
  readonly title: string = $derived.by(() => this.name || this.draft.line)
  readonly changed: boolean = $derived.by(() => this.draft.content !== contentOf(this.saved ?? emptyDraft()))

  constructor(
    key: number,
    data: Omit<Tab, 'id'>,
    private home: Workspace,
    id = 0,
  ) {
    this.key = key
    this.id = id
    this.position = data.position
    this.name = data.name
    this.pinned = data.pinned
    this.saved = data.saved
    this.historyId = data.historyId
    this.view = data.view ?? {}
    this.draft = new Draft(
      {
        client: home.client, catalog: home.catalog, bases: home.bases,
        tabId: () => this.stored(),
        answered: () => this.#answered(),
      },
      data.draft,
    )
    const off = this.view.bodyOff
    if (Array.isArray(off)) this.draft.bodyOff = off as OffField[]
    this.saver = new Saver(
      (last) => this.#write(last),
      (e) => home.onfault(e),
    )
  }

  /** Everything that is kept. */
  snapshot(): Omit<Tab, 'id'> {
    return {
      position: this.position, name: this.name, pinned: this.pinned, draft: this.draft.data(),
      saved: this.saved, historyId: this.historyId, view: { ...this.view, bodyOff: this.draft.bodyOff },
    }
  }

  /** The id in Go, stored first if it is new. */
  async stored(): Promise<number> {
    if (this.id) return this.id
    this.#created ??= this.home.client.tabs.create(this.snapshot()).then(
      (t) => (this.id = t.id),
      (e) => {
        this.#created = undefined
        throw e
      },
    )
    return this.#created
  }

  /** Fetches the last answer, once, when the tab is first looked at. */
  async restore() {
    if (this.#restored) return
    this.#restored = true
    if (!this.historyId || this.draft.reply) return
    try {
      const reply = await this.home.client.history.reply(this.historyId)
      if (!this.draft.reply && !this.draft.busy) this.draft.show(reply)
    } catch {
      this.historyId = 0 // its body was not kept: the pane says what to do next
    }
  }

  /** What is now is what "changed" is measured against. */
  save() {
    this.saved = this.draft.data()
    this.saver.touch()
    void this.saver.flush()
  }

  setView(change: Record<string, unknown>) {
    this.view = { ...this.view, ...change }
    this.saver.touch()
  }

  /** Gone for good, in Go too. */
  async discard() {
    this.draft.stop()
    this.saver.drop()
    if (this.id || this.#created) await this.home.client.tabs.remove(await this.stored())
  }

  #answered() {
    if (this.draft.reply && !this.draft.fault) this.historyId = this.draft.reply.historyId
    this.saver.touch()
    this.home.onanswer(this)
  }

  async #write(last: boolean) {
    const first = !this.id && !this.#created
    const id = await this.stored()
    // A creation that was under way holds the tab as it was then, not as it is now.
    if (!first) await this.home.client.tabs.update(id, this.snapshot(), last)
  }
}

/** The open tabs: which is active, and how they come, go and are kept. */
export class Workspace {
  tabs = $state<OpenTab[]>([])
  activeKey = $state(0)
  readonly active: OpenTab | undefined = $derived(this.tabs.find((t) => t.key === this.activeKey))
  #closed: Omit<Tab, 'id'>[] = []
  #recent: number[] = []
  #keys = 0

  /** Told when a write failed, an answer came, or another tab became active. */
  onfault: (e: unknown) => void = () => {}
  onanswer: (tab: OpenTab) => void = () => {}
  onactive: (tab: OpenTab) => void = () => {}

  constructor(
    readonly client: Pick<Client, 'tabs' | 'history' | 'send'>,
    readonly catalog: Catalog,
    /** Addresses that a pasted URL may begin with. */
    readonly bases: () => string[] = () => [],
  ) {}

  /** Everything as it was. `active` is the id in Go. */
  restore(tabs: Tab[], active: number | undefined) {
    this.tabs = [...tabs].sort((a, b) => a.position - b.position).map((t) => new OpenTab(++this.#keys, t, this, t.id))
    const tab = this.tabs.find((t) => t.id === active) ?? this.tabs[0]
    if (tab) this.activate(tab)
  }

  /** A new tab, beside the others, made active. */
  open(draft: DraftData = emptyDraft(), more: Partial<Tab> = {}): OpenTab {
    const position = Math.max(0, ...this.tabs.map((t) => t.position)) + 1
    const tab = new OpenTab(++this.#keys, { position, name: '', pinned: false, saved: draft, historyId: 0, view: {}, ...more, draft }, this)
    this.tabs.push(tab)
    this.activate(tab)
    tab.saver.touch()
    return tab
  }

  /** Fills the active tab if nobody touched it, else opens a new one. */
  choose(endpoint: Endpoint): OpenTab {
    const tab = this.active
    if (!tab || tab.changed || tab.pinned || tab.name || tab.draft.busy) return this.open(draftOf(endpoint))
    tab.draft.choose(endpoint)
    tab.saved = tab.draft.data()
    tab.historyId = 0
    tab.saver.touch()
    return tab
  }

  /** A past request, in a tab of its own, with its answer if it was kept. */
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

  /** Remembers the tab for reopening, unless told not to. */
  async close(tab: OpenTab, remember = true) {
    const at = this.tabs.indexOf(tab)
    if (at < 0) return
    if (remember && (tab.draft.path || tab.changed)) this.#closed.push(tab.snapshot())
    this.tabs.splice(at, 1)
    this.#recent = this.#recent.filter((k) => k !== tab.key)
    if (this.activeKey === tab.key) {
      const next = this.tabs.find((t) => t.key === this.#recent.at(-1)) ?? this.tabs[Math.min(at, this.tabs.length - 1)]
      if (next) this.activate(next)
    }
    try {
      await tab.discard()
    } catch (e) {
      this.onfault(e)
    }
  }

  async closeOthers(tab: OpenTab) {
    for (const other of this.tabs.filter((t) => t !== tab && !t.pinned)) await this.close(other)
    this.activate(tab)
  }

  /** The tab closed last, as it was. */
  reopen(): OpenTab | undefined {
    const data = this.#closed.pop()
    if (!data) return undefined
    const tab = this.open(data.draft, { ...data, position: Math.max(0, ...this.tabs.map((t) => t.position)) + 1 })
    void tab.restore()
    return tab
  }

  duplicate(tab: OpenTab): OpenTab {
    return this.open(tab.draft.data(), { name: tab.name, saved: tab.saved })
  }

  /** The next tab by position, or the previous by -1, around the ends. */
  step(by: number) {
    const at = this.tabs.findIndex((t) => t.key === this.activeKey)
    const next = this.tabs[(at + by + this.tabs.length) % this.tabs.length]
    if (next) this.activate(next)
  }

  /** The n-th tab from 1; 9 is the last. */
  nth(n: number) {
    const tab = n === 9 ? this.tabs.at(-1) : this.tabs[n - 1]
    if (tab) this.activate(tab)
  }

  move(tab: OpenTab, to: number) {
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

  rename(tab: OpenTab, name: string) {
    const text = name.trim()
    tab.name = text === tab.draft.line ? '' : text
    tab.renaming = false
    tab.saver.touch()
  }

  /** Writes everything that is not written yet. */
  async flush(last = false) {
    await Promise.all(this.tabs.map((t) => t.saver.flush(last)))
  }
}
