import { asFault, type Client, type History } from '../../client'
import type { Comparison, Side } from '../../client/inspect'
import type { Example } from '../../client/collections'
import { exactMoment } from '../../ui/locale'
import { text } from './text'

/** Returns a request of the history as a side. */
export function sideOf(h: Pick<History, 'id' | 'method' | 'path' | 'status' | 'at'>): Side {
  return { historyId: h.id, label: `${h.method} ${h.path} · ${h.status} · ${exactMoment(h.at)}` }
}

/** Returns an example of a saved request as a side. */
export function exampleSide({ id, name }: Pick<Example, 'id' | 'name'>): Side {
  return { exampleId: id, label: text.example(name) }
}

/** A comparison of two responses: both sides, and their differences. */
export class Compare {
  left = $state.raw<Side>()
  right = $state.raw<Side>()
  /** The key of the tab in which it replaces the response. */
  tab = $state(0)
  /** Keys to ignore. */
  ignore = $state.raw<string[]>([])
  result = $state.raw<Comparison>()
  problem = $state('')
  busy = $state(false)

  #running: AbortController | undefined

  constructor(private client: Pick<Client, 'compare'>) {}

  /** Compares two responses: before on the left, after on the right. */
  async of(left: Side, right: Side) {
    this.left = left
    this.right = right
    await this.#request()
  }

  swap() {
    if (this.left && this.right) void this.of(this.right, this.left)
  }

  without(keys: string[]) {
    this.ignore = keys
    void this.#request()
  }

  close() {
    this.#running?.abort()
    this.left = this.right = this.result = undefined
    this.problem = ''
  }

  async #request() {
    this.#running?.abort()
    if (!this.left || !this.right) return
    const running = (this.#running = new AbortController())
    this.busy = true
    this.problem = ''
    this.result = undefined
    try {
      const result = await this.client.compare(this.left, this.right, this.ignore, running.signal)
      if (!running.signal.aborted) this.result = result
    } catch (e) {
      if (!running.signal.aborted) this.problem = asFault(e).message
    } finally {
      if (this.#running === running) this.busy = false
    }
  }
}
