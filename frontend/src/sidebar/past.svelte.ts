import { asFault, type Client } from '../client'
import type { Past, PastQuery } from '../client/past'

const pageSize = 50
const largestPage = 100
/** Maximum number of rows to load to restore the scroll position. */
const deepest = 2000

/** The loaded part of the history, newest first. */
export class PastList {
  items = $state.raw<Past[]>([])
  total = $state(0)
  /** Whether the total is only a lower limit. */
  readonly many: boolean = $derived.by(() => this.total === 1000 && Object.keys(this.query).length > 0)
  loading = $state(true)
  problem = $state('')
  query = $state.raw<PastQuery>({})
  #more = false
  #generation = 0

  constructor(private client: Pick<Client, 'searchHistory' | 'pinHistory' | 'restoreHistory' | 'history'>) {}

  /**
   * Reloads from the start: one or two screens, or down to an id; after a change of the query, its
   * first page.
   */
  async load(query = this.query, down?: number) {
    this.query = query
    let came = await this.#get(
      undefined,
      down ? largestPage : Math.min(largestPage, Math.max(pageSize, this.items.length)),
    )
    while (came && down && this.#more && this.items.length < deepest && this.items.at(-1)!.id > down)
      came = await this.#get(this.items.at(-1)!.id, largestPage)
  }

  /** Loads the next page, if there is one. */
  async more() {
    if (!this.loading && this.#more) await this.#get(this.items.at(-1)?.id, pageSize)
  }

  async remove(item: Past) {
    await this.client.history.remove(item.id)
    const pending = this.#drop()
    this.items = this.items.filter((h) => h.id !== item.id)
    this.total--
    if (pending) await this.load()
  }

  async restore(item: Past) {
    await this.client.restoreHistory(item.id)
    await this.load()
  }

  async pin(item: Past) {
    await this.client.pinHistory(item.id, !item.pinned)
    this.items = this.items.map((h) => (h.id === item.id ? { ...h, pinned: !item.pinned } : h))
  }

  async clear() {
    await this.client.history.clear()
    this.#drop()
    this.items = []
    this.total = 0
  }

  /** Drops pending requests, which may return deleted rows. Returns true if there was one. */
  #drop(): boolean {
    const pending = this.loading
    this.#generation++
    this.loading = false
    return pending
  }

  /** Returns false if it failed, or a newer request was sent meanwhile. */
  async #get(before: number | undefined, size: number): Promise<boolean> {
    const generation = ++this.#generation
    this.loading = true
    try {
      const page = await this.client.searchHistory({ ...this.query, size, before })
      if (generation !== this.#generation) return false
      this.#more = page.more
      if (before === undefined) {
        // Keeps loaded rows that are adjacent to the new page.
        const oldest = page.items.at(-1)?.id ?? 0
        const known = this.items.findIndex((h) => h.id === oldest)
        const rest = page.more && known >= 0 ? this.items.slice(known + 1) : []
        this.items = [...page.items, ...rest]
        this.total = page.total
      } else this.items = [...this.items, ...page.items]
      this.problem = ''
      return true
    } catch (e) {
      if (generation === this.#generation) this.problem = asFault(e).message
      return false
    } finally {
      if (generation === this.#generation) this.loading = false
    }
  }
}
