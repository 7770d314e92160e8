import { untrack } from 'svelte'
import { asFault, type Fault } from '../client'
import { same } from './same'

/** Rows per call, and the number of calls whose rows are cached. */
const size = 100
const most = 12
/** Rows per call when many are requested at once. */
const together = 1000

export interface Page<T> {
  total: number
  items: T[]
}

/** Reloaded rows. */
interface Fresh<T> {
  total?: number
  pages: Map<number, T[]>
}

/**
 * A list of any length, of which only the windows around the view are loaded. Reloaded rows replace the old ones when
 * they arrive, so that nothing moves.
 */
export class Windows<T> {
  /** Number of rows; undefined before the first response. */
  total = $state<number>()
  fault = $state.raw<Fault>()
  #pages = $state.raw(new Map<number, T[]>())
  #pending = new Map<number, AbortController>()
  /** The number of new rows that wait until the list is no longer held. */
  waiting = $state(0)
  #view: [number, number] = [0, 0]
  #generation = 0
  #held = false
  #fresh?: Fresh<T>

  constructor(
    private request: (offset: number, size: number, signal: AbortSignal) => Promise<Page<T>>,
    private failed: (fault: Fault) => void = () => {},
    private key: (row: T) => unknown = (row) => (row as { id?: unknown }).id,
  ) {}

  /** Returns the row, or undefined while it is loading. */
  at(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / size))?.[index % size]
  }

  /** Loaded rows with their indexes. */
  get loaded(): { index: number; row: T }[] {
    return [...this.#pages]
      .sort(([a], [b]) => a - b)
      .flatMap(([page, rows]) => rows.map((row, i) => ({ index: page * size + i, row })))
  }

  /** Returns a range of rows; requests missing ones without caching them. */
  async between(first: number, last: number): Promise<T[]> {
    const missing = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter(
      (i) => this.at(i) === undefined,
    )
    const from = missing[0]
    const fetched: T[] = []
    for (let at = from; at <= missing[missing.length - 1]; at += together) {
      const { items } = await this.request(
        at,
        Math.min(together, missing[missing.length - 1] - at + 1),
        new AbortController().signal,
      )
      fetched.push(...items)
    }
    return Array.from({ length: last - first + 1 }, (_, i) => this.at(first + i) ?? fetched[first + i - from]).filter(
      (row) => row !== undefined,
    )
  }

  /** Sets the rows in view, and requests missing ones. */
  show(first: number, last: number) {
    this.#view = [Math.max(0, first), Math.max(0, last)]
    for (const page of this.#inView()) if (!this.#pages.has(page) && !this.#pending.has(page)) void this.#load(page)
  }

  /** Keeps the rows in their order, for example while the pointer is over them; false shows what has arrived. */
  hold(held: boolean) {
    this.#held = held
    if (held || !this.#fresh) return
    this.#show(this.#fresh)
  }

  /** Reloads the rows in view after a change of the portal. A held list gets new values, but no other rows. */
  follow(): Promise<void> {
    return this.reload(true)
  }

  /** Reloads the rows in view, and then drops all others. */
  async reload(gently = false) {
    const generation = ++this.#generation
    for (const pending of this.#pending.values()) pending.abort()
    this.#pending.clear()
    const pages = untrack(() => this.#inView())
    const fresh: Fresh<T> = { pages: new Map() }
    await Promise.all(pages.map((page) => this.#load(page, fresh)))
    if (generation !== this.#generation || this.fault) return
    if (gently && this.#held && this.total !== undefined) this.#keepOrder(fresh)
    else this.#show(fresh)
  }

  #show(fresh: Fresh<T>) {
    this.#fresh = undefined
    this.waiting = 0
    this.total = fresh.total // together with the rows: an earlier total would request them again
    if (!same([...fresh.pages], [...this.#pages])) this.#pages = fresh.pages
  }

  /** Updates the values of the rows that are here, and keeps the fresh ones for later. */
  #keepOrder(fresh: Fresh<T>) {
    const now = new Map([...fresh.pages.values()].flat().map((row) => [this.key(row), row]))
    if (now.has(undefined)) return this.#show(fresh) // rows without ids cannot be distinguished
    const here = new Set([...this.#pages.values()].flat().map((row) => this.key(row)))
    const pages = new Map(
      [...this.#pages].map(([page, rows]) => [page, rows.map((row) => now.get(this.key(row)) ?? row)]),
    )
    if (!same([...pages], [...this.#pages])) this.#pages = pages
    this.#fresh = fresh
    this.waiting = [...now.keys()].filter((key) => !here.has(key)).length
  }

  stop() {
    this.#generation++
    for (const pending of this.#pending.values()) pending.abort()
  }

  #inView(): number[] {
    const [from, to] = this.#view.map((i) => Math.floor(i / size))
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  }

  async #load(page: number, into?: Fresh<T>) {
    const pending = new AbortController()
    const generation = this.#generation
    this.#pending.set(page, pending)
    try {
      const { total, items } = await this.request(page * size, size, pending.signal)
      if (pending.signal.aborted || generation !== this.#generation) return
      this.fault = undefined
      if (into) {
        into.total = total
        into.pages.set(page, items)
        return
      }
      this.total = total
      this.#pages = trimmed(new Map(this.#pages).set(page, items), page)
    } catch (e) {
      const fault = asFault(e)
      if (fault.cancelled || generation !== this.#generation) return
      this.fault = fault
      this.failed(fault)
    } finally {
      if (this.#pending.get(page) === pending) this.#pending.delete(page)
    }
  }
}

/** Returns the pages nearest to one. */
function trimmed<T>(pages: Map<number, T[]>, near: number): Map<number, T[]> {
  if (pages.size <= most) return pages
  const kept = [...pages.keys()].sort((a, b) => Math.abs(a - near) - Math.abs(b - near)).slice(0, most)
  return new Map(kept.map((page) => [page, pages.get(page)!]))
}
