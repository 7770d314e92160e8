import { asFault } from '../client'
import type { Offer, Option, Suggest } from '../state/request/suggest'
import { text as words } from './text'

/** The suggestions below a text field, and the active one. */
export class Completion {
  offer = $state.raw<Offer>()
  /** -1 if none is selected: the field handles Enter. */
  active = $state(-1)
  readonly open: boolean = $derived(this.offer !== undefined && (this.offer.options.length > 0 || !!this.offer.problem))
  #running: AbortController | undefined

  constructor(private suggest: Suggest) {}

  get chosen(): Option | undefined {
    return this.offer?.options[this.active]
  }

  /** Requests suggestions for the text at the caret, and drops an earlier request. */
  request(text: string, caret: number) {
    this.#running?.abort()
    const running = (this.#running = new AbortController())
    const before = this.offer
    void Promise.resolve(this.suggest(text, caret, running.signal)).then(
      (offer) => {
        if (running.signal.aborted) return
        this.offer = offer
        const again = before?.multi && offer?.multi
        this.active = again ? Math.min(this.active, offer.options.length - 1) : offer?.first ? 0 : -1
      },
      (e: unknown) => {
        const fault = asFault(e)
        if (!running.signal.aborted && !fault.cancelled)
          this.offer = {
            label: words.completion.suggestions,
            from: 0,
            to: text.length,
            options: [],
            problem: fault.message,
          }
      },
    )
  }

  close() {
    this.#running?.abort()
    this.offer = undefined
    this.active = -1
  }

  /** Handles a key of the list; returns false for any other key. */
  key(key: string): boolean {
    const last = (this.offer?.options.length ?? 0) - 1
    if (last < 0) return false
    if (key === 'ArrowDown') this.active = this.active >= last ? 0 : this.active + 1
    else if (key === 'ArrowUp') this.active = this.active <= 0 ? last : this.active - 1
    else if (key === 'PageDown') this.active = Math.min(last, this.active + 8)
    else if (key === 'PageUp') this.active = Math.max(0, this.active - 8)
    else return false
    return true
  }
}
