import { asFault, type Fault, type Listing, type ListQuery } from '../../client'

/** The number of rows per request. */
const window = 100
/** Milliseconds after the last key until the search starts. */
const pause = 180

export type RequestRows<T> = (query: ListQuery, signal: AbortSignal) => Promise<Listing<T>>

/**
 * A list of the portal, loaded in windows of rows. The portal searches and sorts. Shown rows stay until the new ones
 * arrive.
 */
export class Rows<T extends { id: number | string }> {
  /** Undefined until the first response. */
  total = $state<number>()
  fault = $state.raw<Fault>()
  loading = $state(false)
  search = $state('')
  /** `-name`, or `name`. */
  sort = $state('')
  /** A fixed filter in addition to the search; '' for none. */
  filter = $state('')

  #windows = $state.raw<ReadonlyMap<number, T[]>>(new Map())
  #requested = new Set<number>()
  #seen = { first: 0, last: window - 1 }
  #stop = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private request: RequestRows<T>,
    sort = '',
    filter = '',
  ) {
    this.sort = sort
    this.filter = filter
  }

  at(index: number): T | undefined {
    return this.#windows.get(Math.floor(index / window))?.[index % window]
  }

  /** All loaded rows, in order. */
  get here(): T[] {
    return [...this.#windows.entries()].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows)
  }

  find(id: T['id']): T | undefined {
    return this.here.find((row) => row.id === id)
  }

  indexOf(id: T['id'] | undefined): number {
    for (const [number, rows] of this.#windows) {
      const at = rows.findIndex((row) => row.id === id)
      if (at >= 0) return number * window + at
    }
    return -1
  }

  /** The current query. */
  get query(): ListQuery {
    return { size: window, filter: both(this.filter, this.search), sort: this.sort }
  }

  see(first: number, last: number) {
    this.#seen = { first, last }
    void this.#load(false)
  }

  look(text: string) {
    this.search = text
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.reload(), pause)
  }

  /** Sorts by this field, or reverses the order if it already does. */
  sortBy(field: string) {
    this.sort = this.sort === field ? `-${field}` : field
    void this.reload()
  }

  narrow(filter: string) {
    this.filter = filter
    void this.reload()
  }

  /** Reloads the rows in view. */
  async reload(): Promise<void> {
    this.#stop.abort()
    this.#stop = new AbortController()
    this.#requested.clear()
    await this.#load(true)
  }

  leave() {
    clearTimeout(this.#timer)
    this.#stop.abort()
  }

  async #load(reload: boolean) {
    const from = Math.floor(this.#seen.first / window)
    const to = Math.floor(Math.max(this.#seen.last, this.#seen.first) / window)
    const wanted = Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((n) => !this.#requested.has(n))
    if (wanted.length === 0) return
    for (const n of wanted) this.#requested.add(n)
    const stop = this.#stop
    this.loading = true
    try {
      const pages = await Promise.all(
        wanted.map((n) => this.request({ ...this.query, offset: n * window }, stop.signal)),
      )
      if (stop.signal.aborted) return
      const next = new Map(reload ? [] : this.#windows)
      wanted.forEach((n, i) => next.set(n, pages[i].items))
      this.#windows = next
      this.total = pages[0].total
      this.fault = undefined
    } catch (e) {
      const fault = asFault(e)
      if (fault.cancelled || stop.signal.aborted) return
      for (const n of wanted) this.#requested.delete(n)
      this.fault = fault
    } finally {
      if (this.#stop === stop) this.loading = false
    }
  }
}

/** Combines a filter with a search in any text field. */
export function both(filter: string, search: string): string {
  const words = search
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => `_all~"${word.replace(/[\\"]/g, '\\$&')}"`)
  return [filter, ...words].filter(Boolean).join(',')
}
