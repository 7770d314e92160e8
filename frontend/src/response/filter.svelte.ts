import { asFault, type Client, type Reply } from '../client'
import { ShownResponse } from '../state/response/shown-response.svelte'
import { forgetful, keeperOfMatches, unfolded, type Keeper } from '../state/response/left'

/** The filter of a response, and its matches. */
export class Filter {
  open = $state(false)
  busy = $state(false)
  problem = $state('')
  /** The position of the error; -1 for none. */
  at = $state(-1)
  matches = $state(0)
  /** The matches as a response of their own; undefined without a filter. */
  result = $state.raw<ShownResponse>()
  keys = $state.raw<string[]>([])
  /** Whether the tab's stored filter was applied when the response was first shown. */
  begun = false

  #running: AbortController | undefined
  #keysRequested = false

  constructor(
    private client: Client,
    private reply: Reply,
    private keeper: Keeper = forgetful(),
  ) {}

  /** Runs a query; an empty one shows the whole response again. */
  async run(query: string) {
    this.#running?.abort()
    this.problem = ''
    this.at = -1
    if (!query.trim()) {
      this.busy = false
      this.result = undefined
      return
    }
    const running = (this.#running = new AbortController())
    this.busy = true
    try {
      const keeper = keeperOfMatches(this.keeper, query)
      const found = await unfolded(
        this.client,
        await this.client.filter(this.reply.document, query, running.signal),
        keeper.get().open,
      )
      if (running.signal.aborted) return
      this.matches = found.matches
      this.result = new ShownResponse(
        this.client,
        {
          ...this.reply,
          json: true,
          problem: '',
          binary: false,
          document: found.document,
          bytes: found.bytes,
          rows: found.rows,
          rowCount: found.rowCount,
          lineCount: found.lineCount,
          items: found.matches,
          total: null,
        },
        keeper,
      )
    } catch (e) {
      if (running.signal.aborted) return
      const fault = asFault(e)
      this.problem = fault.message
      this.at = fault.detail.at ?? -1
    } finally {
      if (this.#running === running) this.busy = false
    }
  }

  /** Loads the keys for completions, once. */
  async learn() {
    if (this.#keysRequested) return
    this.#keysRequested = true
    this.keys = await this.client.keys(this.reply.document).catch(() => [])
  }
}

const plainKey = /^[\p{L}_][\p{L}\d_]*$/u

/** Returns the start of the key at the caret, and the keys that begin with it or contain it. */
export function completions(text: string, caret: number, keys: readonly string[]): { from: number; offered: string[] } {
  const typed = /(?<=\.|\{ ?|, ?)[\p{L}_]?[\p{L}\d_]*$/u.exec(text.slice(0, caret))?.[0]
  if (typed === undefined) return { from: caret, offered: [] }
  const low = typed.toLowerCase()
  const fits = keys.filter((k) => plainKey.test(k) && k !== typed)
  const first = fits.filter((k) => k.toLowerCase().startsWith(low))
  const rest = typed ? fits.filter((k) => !first.includes(k) && k.toLowerCase().includes(low)) : []
  return { from: caret - typed.length, offered: [...first, ...rest].slice(0, 8) }
}

const filters = new WeakMap<Reply, Filter>()

/** Returns the only Filter of a reply. */
export function filterOf(client: Client, { reply, keeper }: ShownResponse): Filter {
  let filter = filters.get(reply)
  if (!filter) filters.set(reply, (filter = new Filter(client, reply, keeper)))
  return filter
}
