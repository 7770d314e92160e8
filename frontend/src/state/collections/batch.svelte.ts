import { asFault, type Client, type Method } from '../../client'
import type { BatchProgress, Ran, SavedRequest } from '../../client/collections'
import { number } from '../../ui/locale'
import { text } from './text'

/** How a batch runs. */
export interface BatchOptions {
  /** Continue after a failure. */
  goOn: boolean
  /** How many run at a time; 1 by default. */
  parallel?: number
  /** The text of a CSV or JSON file: the requests run once for each row. */
  data?: string
}

/** Saved requests that Go sends and checks. */
export class Batch {
  readonly id = crypto.randomUUID()
  /** Results in the order in which they arrive; in the order of the plan when it is done. */
  results = $state.raw<Ran[]>([])
  /** The number of requests to send. */
  total = $state(0)
  state = $state<'running' | 'done' | 'cancelled'>('running')
  /** Why the batch itself failed, or ''. */
  problem = $state('')
  readonly failed = $derived(this.results.filter((r) => r.problem).length)
  readonly #end = new AbortController()

  constructor(
    readonly title: string,
    readonly requests: SavedRequest[],
    readonly options: BatchOptions,
    private readonly client: Pick<Client, 'collections'>,
  ) {
    this.total = requests.length
  }

  /** The progress or the result in one sentence. */
  readonly line = $derived.by(() => {
    const [done, all] = [this.results.length, this.total]
    if (this.state === 'running') return text.batch.of(Math.min(done + 1, all), all)
    const rest = all - done
    const how = this.failed
      ? text.batch.ofWentWell(done - this.failed, done)
      : done === 1
        ? text.batch.itWentWell
        : text.batch.allWentWell(done)
    if (this.state === 'cancelled') return text.batch.cancelledAfterOf(done, all)
    return rest ? text.batch.notSent(how, rest) : how
  })

  async run() {
    try {
      const { results } = await this.client.collections.batch(
        {
          batchId: this.id,
          title: this.title,
          ids: this.requests.map((r) => r.id),
          ...this.options,
        },
        this.#end.signal,
      )
      this.results = results
      this.state = 'done'
    } catch (e) {
      this.state = this.#end.signal.aborted ? 'cancelled' : 'done'
      if (!this.#end.signal.aborted) this.problem = asFault(e).message
    }
  }

  hear({ batchId, of, result }: BatchProgress) {
    if (batchId !== this.id || this.state !== 'running' || this.results.some((r) => r.at === result.at)) return
    this.total = of
    this.results = [...this.results, result]
  }

  cancel() {
    this.#end.abort()
  }
}

/** Counts requests by method: `8 GET, 2 POST`. */
export function counted(requests: { method: Method }[]): string {
  const counts = new Map<Method, number>()
  for (const { method } of requests) counts.set(method, (counts.get(method) ?? 0) + 1)
  return [...counts].map(([method, n]) => `${number(n)} ${method}`).join(', ')
}

/** Returns the warning before a batch that changes something, or ''. */
export function warning(requests: { method: Method }[], portal: string): string {
  const writes = requests.filter((r) => r.method !== 'GET')
  return writes.length ? text.batch.willChangeNothing(counted(writes), portal) : ''
}
