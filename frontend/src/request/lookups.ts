/** Questions to the portal while somebody types: one at a time, after a pause, remembered for a moment. */
import type { LookupClient } from '../client/lookup'

const pause = 200 // ms without a key before the portal is asked
const keep = 20_000 // ms an answer is good for
const most = 100 // answers kept

export class Lookups {
  #kept = new Map<string, { at: number; answer: Promise<unknown> }>()

  constructor(
    private client: LookupClient,
    private now: () => number = () => performance.now(),
  ) {}

  /** As the client's lookup, unless the same was asked a moment ago. */
  async ask<T>(path: string, query: Record<string, string>, signal: AbortSignal, wait = pause): Promise<T> {
    const key = JSON.stringify([path, query])
    const known = this.#kept.get(key)
    if (known && this.now() - known.at < keep) return known.answer as Promise<T>
    if (wait > 0) await idle(wait, signal)
    const answer = this.client.lookup<T>(path, query, signal)
    this.#kept.set(key, { at: this.now(), answer })
    if (this.#kept.size > most) this.#kept.delete(this.#kept.keys().next().value!)
    const forget = () => this.#kept.delete(key)
    signal.addEventListener('abort', forget, { once: true })
    answer.then(() => signal.removeEventListener('abort', forget), forget)
    return answer
  }
}

/** Rejects with the signal's reason when it aborts first. */
function idle(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, stop) => {
    if (signal.aborted) return stop(signal.reason)
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      stop(signal.reason)
    }, { once: true })
  })
}
