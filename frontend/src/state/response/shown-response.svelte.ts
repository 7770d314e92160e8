import type { Client, Reply } from '../../client'
import { Saver } from '../../client/saver'
import { Find } from './find.svelte'
import { forgetful, type Keeper, type Left } from './left'
import { DocumentRows } from './rows.svelte'

/** The view state of one response: rows, search, and restored state. */
export class ShownResponse {
  readonly rows: DocumentRows
  /** The search in the tree. */
  readonly find: Find
  /** The search in the text as received. */
  readonly textFind: Find
  /** Nodes that differ from the response before, while the request is watched. */
  changed: ReadonlySet<number> | undefined

  constructor(
    client: Client,
    readonly reply: Reply,
    readonly keeper: Keeper = forgetful(),
  ) {
    const folded = new Saver(async () => this.leave({ open: await client.left(reply.document) }))
    this.rows = new DocumentRows(client, reply.document, reply, () => folded.touch())
    this.find = new Find(
      (query, match, matchCase, signal) => this.rows.find(query, match, matchCase, signal),
      (find) => this.leave({ find }),
    )
    this.textFind = new Find(
      (query, match, matchCase, signal) => client.findText(reply.document, query, match, matchCase, signal),
      (textFind) => this.leave({ textFind }),
    )
    const { find, textFind } = this.left
    if (find) void this.find.resume(find)
    if (textFind) void this.textFind.resume(textFind)
  }

  /** The view state to store. */
  get left(): Left {
    return this.keeper.get()
  }

  /**
   * Returns a callback that may run when another response is already shown: `leaving('tree')(at)`.
   */
  leaving<K extends keyof Left>(what: K): (at: Left[K]) => void {
    return (at) => this.leave({ [what]: at } as Partial<Left>)
  }

  /** Stores a part of the view state. */
  leave(change: Partial<Left>) {
    const { left } = this
    const news = Object.entries(change).filter(
      ([key, value]) => JSON.stringify(left[key as keyof Left]) !== JSON.stringify(value),
    )
    if (news.length) this.keeper.set({ ...left, ...Object.fromEntries(news) })
  }
}

const responses = new WeakMap<Reply, ShownResponse>()

/** Returns the ShownResponse of a reply: the same each time, so that its state is kept while other tabs are shown. */
export function shownResponseOf(client: Client, reply: Reply, keeper: () => Keeper): ShownResponse {
  let response = responses.get(reply)
  if (!response) responses.set(reply, (response = new ShownResponse(client, reply, keeper())))
  return response
}
