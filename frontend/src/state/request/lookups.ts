/** Lookups at the portal while the user types: one at a time, after a pause, cached for a moment. */
import type { LookupClient } from '../../client/lookup'

const pause = 200 // ms without a key before a lookup
const keep = 20_000 // ms that a response is cached
const most = 100 // cached responses

/** A lookup, running or cached, and the number of its waiting callers. */
interface Question {
  at: number
  answer: Promise<unknown>
  wanted: number
  stop: AbortController
}

export class Lookups {
  #kept = new Map<string, Question>()

  constructor(
    private client: LookupClient,
    private now: () => number = () => performance.now(),
  ) {}

  /** Does the same as the client's lookup, with a cache. Aborting one caller does not affect the others. */
  async get<T>(path: string, query: Record<string, string>, signal: AbortSignal, wait = pause): Promise<T> {
    const key = JSON.stringify([path, query])
    if (!this.#known(key) && wait > 0) await idle(wait, signal)
    const question = this.#known(key) ?? this.#begin(key, path, query)
    question.wanted++
    const leave = () => {
      if (--question.wanted > 0) return
      question.stop.abort(signal.reason)
      this.#forget(key, question)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([question.answer as Promise<T>, aborted(signal)])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #known(key: string): Question | undefined {
    const known = this.#kept.get(key)
    return known && this.now() - known.at < keep ? known : undefined
  }

  #begin(key: string, path: string, query: Record<string, string>): Question {
    const stop = new AbortController()
    const question = { at: this.now(), answer: this.client.lookup(path, query, stop.signal), wanted: 0, stop }
    this.#kept.set(key, question)
    if (this.#kept.size > most) this.#kept.delete(this.#kept.keys().next().value!)
    question.answer.catch(() => this.#forget(key, question))
    return question
  }

  #forget(key: string, question: Question) {
    if (this.#kept.get(key) === question) this.#kept.delete(key)
  }
}

/** Rejects when the signal aborts, and does nothing else. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, stop) => {
    if (signal.aborted) stop(signal.reason)
    else signal.addEventListener('abort', () => stop(signal.reason), { once: true })
  })
}

/** Waits, or rejects with the signal's reason if it aborts first. */
function idle(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, stop) => {
    if (signal.aborted) return stop(signal.reason)
    const timer = setTimeout(done, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        stop(signal.reason)
      },
      { once: true },
    )
  })
}
