import type { Found } from '../../client'
import type { Sought } from './left'

/** Asks Go for the match with that number; it wraps around. */
export type Look = (query: string, match: number, matchCase: boolean, signal: AbortSignal) => Promise<Found>

/** A longer text is not looked for again after a restart. */
const mostKept = 1000

/** A search in one answer: what is looked for, and which match is shown. */
export class Find {
  open = $state(false)
  query = $state('')
  matchCase = $state(false)
  found = $state.raw<Found>()
  problem = $state('')

  /** The match was found before, and is not gone to. */
  resting = $state(false)

  #asking: AbortController | undefined
  /** The one that is gone to; it may not be there yet when the next key is pressed. */
  #match = 0

  constructor(
    private ask: Look,
    /** Told what is looked for; undefined is nothing any more. */
    private left: (sought: Sought | undefined) => void = () => {},
  ) {}

  /** What to mark in the rows. */
  get marked(): string {
    return this.open ? this.query : ''
  }

  /** Looks for the query again from its first match. */
  async look(query: string, matchCase: boolean) {
    this.query = query
    this.matchCase = matchCase
    this.found = undefined
    await this.#go(0)
  }

  /** The next match, or the previous by -1, around the ends. */
  async step(by: number) {
    const { found } = this
    if (!found) return this.#go(0)
    if (found.count > 0) await this.#go((this.#match + by + found.count) % found.count)
  }

  close() {
    this.open = false
    void this.look('', this.matchCase)
  }

  /** Goes on where it was left, without going there. */
  async resume({ query, matchCase, index }: Sought) {
    this.open = true
    this.query = query
    this.matchCase = matchCase
    await this.#go(index, true)
  }

  async #go(match: number, resting = false) {
    this.#asking?.abort()
    this.problem = ''
    this.resting = resting
    this.#match = match
    if (!this.query) return this.left(undefined)
    const asking = (this.#asking = new AbortController())
    try {
      const found = await this.ask(this.query, match, this.matchCase, asking.signal)
      if (asking.signal.aborted) return
      this.found = found
      this.left(
        this.query.length > mostKept ? undefined : { query: this.query, matchCase: this.matchCase, index: found.index },
      )
    } catch (e) {
      if (!asking.signal.aborted) this.problem = (e as Error).message
    }
  }
}

/** F3 and Shift+F3: the next match and the one before. */
export function findKey(e: KeyboardEvent, find: Find) {
  if (e.key !== 'F3' || !find.open || e.ctrlKey || e.metaKey || e.altKey) return
  e.preventDefault()
  void find.step(e.shiftKey ? -1 : 1)
}
