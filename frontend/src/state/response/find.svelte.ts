import type { Found } from '../../client'
import type { Sought } from './left'

/** Requests the match with that number; it wraps around. */
export type Look = (query: string, match: number, matchCase: boolean, signal: AbortSignal) => Promise<Found>

/** A search for a longer text is not stored. */
const mostKept = 1000

/** A search in one response: the query, and the shown match. */
export class Find {
  open = $state(false)
  query = $state('')
  matchCase = $state(false)
  found = $state.raw<Found>()
  problem = $state('')

  /** The match is restored without scrolling to it. */
  resting = $state(false)

  #running: AbortController | undefined
  /** The target match; it may not have loaded when the next key is pressed. */
  #match = 0

  constructor(
    private request: Look,
    /** Receives the search; undefined when it ends. */
    private left: (sought: Sought | undefined) => void = () => {},
  ) {}

  /** The text to highlight in the rows. */
  get marked(): string {
    return this.open ? this.query : ''
  }

  /** Searches for the query from its first match. */
  async look(query: string, matchCase: boolean) {
    this.query = query
    this.matchCase = matchCase
    this.found = undefined
    await this.#go(0)
  }

  /** Moves to the next match, or to the previous one for -1; it wraps around. */
  async step(by: number) {
    const { found } = this
    if (!found) return this.#go(0)
    if (found.count > 0) await this.#go((this.#match + by + found.count) % found.count)
  }

  close() {
    this.open = false
    void this.look('', this.matchCase)
  }

  /** Restores the search without scrolling. */
  async resume({ query, matchCase, index }: Sought) {
    this.open = true
    this.query = query
    this.matchCase = matchCase
    await this.#go(index, true)
  }

  async #go(match: number, resting = false) {
    this.#running?.abort()
    this.problem = ''
    this.resting = resting
    this.#match = match
    if (!this.query) return this.left(undefined)
    const running = (this.#running = new AbortController())
    try {
      const found = await this.request(this.query, match, this.matchCase, running.signal)
      if (running.signal.aborted) return
      this.found = found
      this.left(
        this.query.length > mostKept ? undefined : { query: this.query, matchCase: this.matchCase, index: found.index },
      )
    } catch (e) {
      if (!running.signal.aborted) this.problem = (e as Error).message
    }
  }
}

/** Handles F3 and Shift+F3: the next and the previous match. */
export function findKey(e: KeyboardEvent, find: Find) {
  if (e.key !== 'F3' || !find.open || e.ctrlKey || e.metaKey || e.altKey) return
  e.preventDefault()
  void find.step(e.shiftKey ? -1 : 1)
}
