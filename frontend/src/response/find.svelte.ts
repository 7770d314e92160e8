import type { Found } from '../client'

/** Asks Go for the match with that number; it wraps around. */
export type Look = (query: string, match: number, matchCase: boolean, signal: AbortSignal) => Promise<Found>

/** A search in one answer: what is looked for, and which match is shown. */
export class Find {
  open = $state(false)
  query = $state('')
  matchCase = $state(false)
  found = $state.raw<Found>()
  problem = $state('')

  #asking: AbortController | undefined

  constructor(private ask: Look) {}

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
    if (found.count > 0) await this.#go((found.index + by + found.count) % found.count)
  }

  close() {
    this.open = false
    void this.look('', this.matchCase)
  }

  async #go(match: number) {
    this.#asking?.abort()
    this.problem = ''
    if (!this.query) return
    const asking = (this.#asking = new AbortController())
    try {
      const found = await this.ask(this.query, match, this.matchCase, asking.signal)
      if (!asking.signal.aborted) this.found = found
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
