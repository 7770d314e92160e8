import { asFault, type Client, type DraftData, type Endpoint, type Tab } from '../../client'
import type { SavedFile } from '../../client/sending'
import type { Catalog } from '../catalog/catalog.svelte'
import { contentOf, Draft, draftOf, emptyDraft } from '../request/draft.svelte'
import type { OffField } from '../request/form'
import { leftIn, unfolded } from '../response/left'
import { Saver } from '../../client/saver'

/** The fields that conflict between windows; the others are view state. */
const versioned = ['name', 'draft', 'saved', 'requestId'] as const

/** The parts of the workspace that a tab needs. */
interface Home {
  readonly client: Pick<Client, 'tabs' | 'history' | 'send' | 'pages' | 'steer' | 'unfold'>
  readonly catalog: Catalog
  readonly bases: () => string[]
  before: (tab: OpenTab, anyway: boolean) => boolean | Promise<boolean>
  onfault: (e: unknown) => void
  onanswer: (tab: OpenTab) => void
  onsaved: (file: SavedFile) => void
}

/** One tab: a draft, its name and its saved version. */
export class OpenTab {
  /** Identity on the page; Go assigns an id when the tab is stored. */
  readonly key: number
  id = $state(0)
  position = $state(0)
  name = $state('')
  pinned = $state(false)
  saved = $state.raw<DraftData | null>(null)
  historyId = $state(0)
  view = $state.raw<Record<string, unknown>>({})
  /** The saved request it was opened from, 0 for none. */
  requestId = $state(0)
  renaming = $state(false)
  /** The version that another window saved while the tab was edited here. */
  conflict = $state.raw<Tab>()
  readonly draft: Draft
  readonly saver: Saver
  #created: Promise<number> | undefined
  #version = 0
  #written = new Map<string, string>() // the stored values in Go, as JSON
  #writing = 0
  #restored = false

  /** `GET /device/devices`, until the user renames it. */
  readonly title: string = $derived.by(() => this.name || this.draft.line)
  /** Distinguishes it from other tabs with the same path, by the rows that are sent: `id=7 size=5`. */
  readonly values: string = $derived.by(() =>
    [...this.draft.pathParams.filter((r) => r.value), ...this.draft.query.filter((r) => r.on && r.key)]
      .map((r) => `${r.key}=${r.value}`)
      .join(' '),
  )
  readonly changed: boolean = $derived.by(() => this.draft.content !== contentOf(this.saved ?? emptyDraft()))

  constructor(
    key: number,
    data: Omit<Tab, 'id'>,
    private home: Home,
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
    this.requestId = data.requestId
    this.#version = data.version
    this.draft = new Draft(
      {
        client: home.client,
        catalog: home.catalog,
        bases: home.bases,
        tabId: () => this.id || this.#known(),
        before: (_, anyway) => home.before(this, anyway),
        answered: () => this.#answered(),
        saved: (file) => this.home.onsaved(file),
      },
      data.draft,
    )
    const off = this.view.bodyOff
    if (Array.isArray(off)) this.draft.bodyOff = off as OffField[]
    this.saver = new Saver(
      () => this.#write(),
      (e) => home.onfault(e),
    )
    if (id) this.#note(this.snapshot())
  }

  get version(): number {
    return this.#version
  }

  /**
   * Can be replaced without loss: an unnamed, unsaved, unedited request of the catalog, sent or not, without a write
   * that can be undone.
   */
  get untouched(): boolean {
    const { draft } = this
    if (this.changed || this.pinned || this.name || this.requestId || draft.busy) return false
    if (draft.reply ? draft.reply.undo : this.historyId && draft.method !== 'GET') return false
    return draft.content === contentOf(draft.endpoint ? draftOf(draft.endpoint) : emptyDraft())
  }

  /** Changes to the initial request of the endpoint, and clears the previous response. */
  begin(endpoint: Endpoint) {
    this.draft.choose(endpoint)
    this.saved = this.draft.data()
    this.historyId = 0
    this.view = {}
    this.saver.touch()
  }

  /** Whether it is being stored for the first time: its id will be known soon. */
  get creating(): boolean {
    return !this.id && this.#created !== undefined
  }

  /** Whether it has edits that are not stored yet. */
  get unwritten(): boolean {
    const edited = this.saver.dirty && Object.keys(this.#changes()).length > 0
    return edited || this.#writing > 0 || this.conflict !== undefined
  }

  /** Returns everything that is stored. */
  snapshot(): Omit<Tab, 'id' | 'version'> {
    return {
      position: this.position,
      name: this.name,
      pinned: this.pinned,
      draft: this.draft.data(),
      saved: this.saved,
      historyId: this.historyId,
      view: { ...this.view, bodyOff: this.draft.bodyOff },
      requestId: this.requestId,
      closed: 0,
    }
  }

  /** Returns the id in Go, after storing a new tab. */
  async stored(): Promise<number> {
    if (this.id) return this.id
    this.#created ??= this.#create()
    return this.#created
  }

  /** Fetches the last response, once, when the tab is first shown. */
  async restore() {
    if (this.#restored) return
    this.#restored = true
    if (!this.historyId || this.draft.reply) return
    try {
      const { client } = this.home
      const reply = await unfolded(
        client,
        await client.history.reply(this.historyId),
        leftIn(this.view, this.historyId).open,
      )
      if (!this.draft.reply && !this.draft.busy) this.draft.show(reply)
    } catch {
      this.historyId = 0 // its body was not stored: the pane shows what to do
    }
  }

  /** Shows a response of the history as the response to this request. */
  async recall(historyId: number) {
    this.historyId = historyId
    this.draft.clearReply()
    this.#restored = false
    this.saver.touch()
    await this.restore()
  }

  /** Sets the saved draft, which "changed" compares with. */
  save(draft: DraftData) {
    this.saved = draft
    this.saver.touch()
    void this.saver.flush()
  }

  setView(change: Record<string, unknown>) {
    this.view = { ...this.view, ...change }
    this.saver.touch()
  }

  /** Closes the tab, in Go too: with its edits if it can be reopened, otherwise permanently. */
  async shut(remember: boolean) {
    this.draft.abort()
    this.saver.drop()
    if (!remember && !this.id && !this.#created) return
    const id = await this.stored()
    if (remember) await this.home.client.tabs.update(id, { ...this.#changes(), closed: Date.now() })
    else await this.home.client.tabs.remove(id)
  }

  /** Applies the changes of another window. */
  adopt(theirs: Tab) {
    this.conflict = undefined
    this.name = theirs.name
    this.saved = theirs.saved
    this.requestId = theirs.requestId
    this.#version = theirs.version
    if (!same(theirs.draft, this.draft.data())) {
      this.draft.load(theirs.draft)
      const off = theirs.view?.bodyOff
      if (Array.isArray(off)) this.draft.bodyOff = off as OffField[]
    }
    this.place(theirs)
    this.#note(this.snapshot())
  }

  /** Sets the position from another window. */
  place({ position, pinned }: Pick<Tab, 'position' | 'pinned'>) {
    this.position = position
    this.pinned = pinned
    this.#note({ position, pinned })
  }

  /** Keeps a tab that another window closed, because it was edited here. */
  keepOpen() {
    this.#written.delete('closed')
    this.saver.touch()
  }

  /** Overwrites the version of the other window. */
  keepMine() {
    this.#version = this.conflict?.version ?? this.#version
    this.conflict = undefined
    this.saver.touch()
    void this.saver.flush()
  }

  #answered() {
    if (this.draft.reply && !this.draft.fault) this.historyId = this.draft.reply.historyId
    this.saver.touch()
    this.home.onanswer(this)
  }

  /** Returns its id for a request; 0 if a full disk cannot store the tab, so that requests still work. */
  async #known(): Promise<number> {
    try {
      return await this.stored()
    } catch (e) {
      if (asFault(e).status !== 507) throw e
      this.home.onfault(e)
      return 0
    }
  }

  async #create(): Promise<number> {
    const data = this.snapshot()
    try {
      const made = await this.home.client.tabs.create(data)
      this.#note(data)
      this.#version = made.version
      return (this.id = made.id)
    } catch (e) {
      this.#created = undefined
      throw e
    }
  }

  #note(data: Partial<Tab>) {
    for (const [key, value] of Object.entries(data)) this.#written.set(key, JSON.stringify(value))
  }

  /** Returns the changes that are not stored yet. */
  #changes(): Partial<Tab> {
    const all = Object.entries(this.snapshot())
    return Object.fromEntries(all.filter(([key, value]) => this.#written.get(key) !== JSON.stringify(value)))
  }

  async #write() {
    const behind = this.#writing++ > 0 // its response would have the version, but there is no time to wait
    try {
      const id = await this.stored()
      await this.#update(id, behind)
    } finally {
      this.#writing--
    }
  }

  async #update(id: number, unversioned: boolean) {
    if (this.conflict) return // until the user has resolved it
    const change = this.#changes()
    if (Object.keys(change).length === 0) return
    const counts = versioned.some((key) => key in change)
    const withVersion = counts && !unversioned
    try {
      const now = await this.home.client.tabs.update(id, withVersion ? { ...change, version: this.#version } : change)
      this.#note(change)
      if (counts) this.#version = Math.max(this.#version, now.version) // otherwise it is that of another window
    } catch (e) {
      const fault = asFault(e)
      if (fault.status === 409 && fault.field === 'version') await this.#collide(id, change)
      else if (fault.status === 404) await this.#again()
      else throw e
    }
  }

  /** Handles a conflict with another window. Changes of different fields are merged. */
  async #collide(id: number, change: Partial<Tab>) {
    const theirs = await this.home.client.tabs.get(id)
    const base = this.#written.get('draft')
    const untouched = base !== undefined && same(theirs.draft, JSON.parse(base))
    if ('draft' in change && !untouched && !same(theirs.draft, change.draft)) {
      this.conflict = theirs
      return
    }
    this.#version = theirs.version
    for (const key of versioned) {
      if (key === 'draft' || key in change) continue
      Object.assign(this, { [key]: theirs[key] })
      this.#note({ [key]: theirs[key] })
    }
    if (!('draft' in change)) this.draft.load(theirs.draft)
    this.#note({ draft: this.draft.data() })
    if ('draft' in change && untouched) this.#written.delete('draft')
    await this.#update(id, false)
  }

  /** Stores the tab again after Go has deleted it. */
  async #again() {
    this.id = 0
    this.#created = undefined
    this.#written.clear()
    await this.stored()
  }
}

/** Reports whether two drafts are equal, ignoring the order of keys; empty counts as absent. */
function same(a: unknown, b: unknown): boolean {
  return plain(a) === plain(b)
}

function plain(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v && typeof v === 'object' && !Array.isArray(v)
      ? Object.fromEntries(
          Object.entries(v)
            .filter(([, x]) => x !== '' && x !== 0 && x !== undefined)
            .sort(([x], [y]) => (x < y ? -1 : 1)),
        )
      : v,
  )
}
