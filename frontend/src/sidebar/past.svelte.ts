import { asFault, type Client, type History } from '../client'
import { historyFilter } from './query'

const pageSize = 100

/** The history as far as it was scrolled to, newest first. */
export class Past {
  items = $state.raw<History[]>([])
  total = $state(0)
  loading = $state(true)
  problem = $state('')
  query = ''
  #generation = 0

  constructor(private client: Pick<Client, 'history'>) {}

  /** From the start again, as many as were there; with another query from its first page. */
  async load(query = this.query) {
    const size = query === this.query ? Math.min(1000, Math.max(pageSize, this.items.length)) : pageSize
    this.query = query
    await this.#get(0, size)
  }

  /** The next page, if there is one. */
  async more() {
    if (!this.loading && this.items.length < this.total) await this.#get(this.items.length, pageSize)
  }

  async remove(item: History) {
    await this.client.history.remove(item.id)
    this.#generation++
    this.items = this.items.filter((h) => h.id !== item.id)
    this.total--
  }

  async clear() {
    await this.client.history.clear()
    this.#generation++
    this.items = []
    this.total = 0
  }

  async #get(offset: number, size: number) {
    const generation = ++this.#generation
    this.loading = true
    try {
      const page = await this.client.history.list({ size, offset, sort: '-id', filter: historyFilter(this.query) })
      if (generation !== this.#generation) return
      const before = this.items.slice(0, offset)
      const known = new Set(before.map((h) => h.id))
      this.items = [...before, ...page.items.filter((h) => !known.has(h.id))]
      this.total = page.total
      this.problem = ''
    } catch (e) {
      if (generation === this.#generation) this.problem = asFault(e).message
    } finally {
      if (generation === this.#generation) this.loading = false
    }
  }
}
