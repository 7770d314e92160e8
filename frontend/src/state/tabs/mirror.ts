import type { Client, Tab } from '../../client'
import type { OpenTab } from './tab.svelte'

/** The parts of the workspace that the mirror needs. */
interface Home {
  readonly client: Pick<Client, 'tabs'>
  readonly tabs: OpenTab[]
  drop(tab: OpenTab): void
  show(tab: Tab): void
  arrange(): void
}

/**
 * Synchronizes the tabs of this window with changes by other windows or programs. It does not touch tabs that are being
 * edited: saving them detects conflicts.
 */
export class Mirror {
  #timer: ReturnType<typeof setTimeout> | undefined
  #looking = false
  #again = false
  #closing = new Set<Promise<unknown>>()
  /** Closed here, and maybe not stored yet. */
  #gone = new Set<number>()

  constructor(private home: Home) {}

  closing(tab: OpenTab, work: Promise<unknown>) {
    if (tab.id) this.#gone.add(tab.id)
    const done = work
      .catch(() => {})
      .finally(() => {
        if (tab.id) this.#gone.add(tab.id)
        this.#closing.delete(done)
      })
    this.#closing.add(done)
  }

  /** Resolves when every closed tab is stored. */
  async settled() {
    await Promise.all(this.#closing)
  }

  look() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#look()
    }, 200)
  }

  async #look() {
    if (this.#looking) return void (this.#again = true)
    this.#looking = true
    try {
      await this.settled()
      await this.#compare()
    } catch {
      // the next change, or the next write, tries again
    } finally {
      this.#looking = false
      if (this.#again) this.look()
      this.#again = false
    }
  }

  async #compare() {
    const { client } = this.home
    const before = new Set(this.home.tabs.map((t) => t.id))
    const { items } = await client.tabs.list({
      size: 1000,
      filter: 'closed:0',
      fields: ['id', 'version', 'position', 'pinned'],
    })
    if (this.home.tabs.some((t) => t.creating)) return void (this.#again = true)
    const there = new Set(items.map((t) => t.id))
    for (const id of this.#gone) if (!there.has(id)) this.#gone.delete(id)
    for (const tab of this.home.tabs.filter((t) => t.id && before.has(t.id) && !there.has(t.id))) {
      if (tab.unwritten || tab.draft.busy) tab.keepOpen()
      else this.home.drop(tab)
    }
    for (const item of items) {
      const tab = this.home.tabs.find((t) => t.id === item.id)
      if (!tab && !this.#gone.has(item.id)) this.home.show(await client.tabs.get(item.id))
      else if (tab && !tab.unwritten) {
        tab.place(item)
        if (item.version > tab.version) {
          const theirs = await client.tabs.get(item.id)
          if (!tab.unwritten) tab.adopt(theirs)
        }
      }
    }
    this.home.arrange()
  }
}
