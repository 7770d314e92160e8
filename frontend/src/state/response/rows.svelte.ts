import type { Client, DocRow, Found, Reply, Rows } from '../../client'

/** Rows per request. */
export const pageSize = 100
/** Cached pages; the least recently used ones are dropped. */
const pagesKept = 20

type Door = Pick<Client, 'rows' | 'toggle' | 'find' | 'reveal'>

/**
 * A cache of the rows of one document. Go has all rows; the page has only those around the view. Expanding or
 * collapsing makes all cached rows stale: they are shown dimmed until the new ones arrive.
 */
export class DocumentRows {
  total = $state(0)
  /** Increases whenever the results of `at` may have changed. */
  version = $state(0)
  problem = $state('')

  #pages = new Map<number, DocRow[]>()
  #wanted = new Set<number>()
  #fetching = new Set<number>()
  #generation = 0

  constructor(
    private door: Door,
    readonly document: string,
    first: Pick<Reply, 'rows' | 'rowCount'>,
    /** Called when a node was expanded or collapsed. */
    private folded: () => void = () => {},
  ) {
    this.total = first.rowCount
    this.#keep(0, first.rows, first.rowCount)
  }

  /** Returns the row at an index, or undefined while it is loading. */
  at(index: number): DocRow | undefined {
    void this.version
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize]
  }

  /** Loads the missing rows of first…last, and drops earlier pending requests. */
  need(first: number, last: number) {
    const end = Math.min(last, this.total - 1)
    this.#wanted.clear()
    for (let page = Math.floor(Math.max(0, first) / pageSize); page * pageSize <= end; page++) {
      const have = this.#pages.get(page)
      if (!have) this.#wanted.add(page)
      else {
        this.#pages.delete(page) // most recently used: move to the end
        this.#pages.set(page, have)
      }
    }
    this.#fetch()
  }

  /** Expands or collapses a node, with everything below it if deep; node -1 is the whole document. */
  async toggle(node: number, open: boolean, deep: boolean, first: number, last: number) {
    const from = Math.floor(Math.max(0, first) / pageSize) * pageSize
    const count = Math.ceil((last + 1 - from) / pageSize) * pageSize
    const generation = ++this.#generation
    try {
      this.#replace(
        generation,
        from,
        await this.door.toggle(this.document, node, open, deep, from, Math.max(count, pageSize)),
      )
    } catch (e) {
      this.problem = String((e as Error).message)
    }
  }

  /** Finds the match with that number (it wraps around), and expands its ancestors. */
  async find(query: string, match: number, matchCase: boolean, signal: AbortSignal): Promise<Found> {
    const found = await this.door.find(this.document, query, match, matchCase, signal)
    if (this.#pages.size && found.count > 0 && found.total !== this.total) {
      const from = Math.floor(found.row / pageSize) * pageSize
      const generation = ++this.#generation
      this.#replace(generation, from, await this.door.rows(this.document, from, pageSize))
    }
    return found
  }

  /** Returns the row of a node, and expands its ancestors. */
  async reveal(node: number): Promise<number> {
    const { row, total } = await this.door.reveal(this.document, node)
    if (total !== this.total) {
      const from = Math.floor(row / pageSize) * pageSize
      const generation = ++this.#generation
      this.#replace(generation, from, await this.door.rows(this.document, from, pageSize))
    }
    return row
  }

  #replace(generation: number, from: number, answer: Rows) {
    if (generation !== this.#generation) return
    this.#pages.clear()
    this.#fetching.clear()
    this.total = answer.total
    this.problem = ''
    this.#keep(from, answer.rows, answer.total)
    this.#fetch()
    this.folded()
  }

  #keep(from: number, rows: DocRow[], total: number) {
    for (let at = 0; at < rows.length; at += pageSize) {
      const page = rows.slice(at, at + pageSize)
      const whole = page.length === pageSize || from + at + page.length >= total
      if (whole) this.#pages.set((from + at) / pageSize, page)
    }
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= pagesKept) break
      this.#pages.delete(page)
    }
    this.version++
  }

  #fetch() {
    for (const page of this.#wanted) {
      if (this.#fetching.has(page) || this.#pages.has(page)) continue
      if (this.#fetching.size >= 2) return // the others after one of these has loaded, if still needed
      void this.#fetchPage(page)
    }
  }

  async #fetchPage(page: number) {
    const generation = this.#generation
    this.#fetching.add(page)
    try {
      const { rows, total } = await this.door.rows(this.document, page * pageSize, pageSize)
      if (generation !== this.#generation) return
      this.total = total
      this.problem = ''
      this.#keep(page * pageSize, rows, total)
    } catch (e) {
      if (generation !== this.#generation) return
      this.problem = String((e as Error).message)
      this.#wanted.delete(page)
    } finally {
      if (generation === this.#generation) {
        this.#fetching.delete(page)
        this.#fetch()
      }
    }
  }
}
