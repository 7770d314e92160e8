import type { Client, Found, Reply } from '../client'
import { DocumentRows } from './rows.svelte'

/** What the pane knows about one answer while it is looked at: rows, find, the place. */
export class Answer {
  readonly rows: DocumentRows
  finding = $state(false)
  query = $state('')
  matchCase = $state(false)
  found = $state.raw<Found>()
  problem = $state('')
  /** Where the reader was in the tree, to come back to it. */
  place: { current: number; top: number } | undefined

  #asking: AbortController | undefined

  constructor(
    client: Client,
    readonly reply: Reply,
  ) {
    this.rows = new DocumentRows(client, reply.document, reply)
  }

  /** Looks for the query again from its first match. */
  async look(query: string, matchCase: boolean) {
    this.query = query
    this.matchCase = matchCase
    this.found = undefined
    await this.#ask(0)
  }

  /** The next match, or the previous by -1, around the ends. */
  async step(by: number) {
    const { found } = this
    if (!found) return this.#ask(0)
    if (found.count > 0) await this.#ask((found.index + by + found.count) % found.count)
  }

  async #ask(match: number) {
    this.#asking?.abort()
    this.problem = ''
    if (!this.query) return
    const asking = (this.#asking = new AbortController())
    try {
      const found = await this.rows.find(this.query, match, this.matchCase, asking.signal)
      if (!asking.signal.aborted) this.found = found
    } catch (e) {
      if (!asking.signal.aborted) this.problem = (e as Error).message
    }
  }
}

const answers = new WeakMap<Reply, Answer>()

/** The one Answer of a reply: what was open and found is still so when the tab is looked at again. */
export function answerOf(client: Client, reply: Reply): Answer {
  let answer = answers.get(reply)
  if (!answer) answers.set(reply, (answer = new Answer(client, reply)))
  return answer
}
