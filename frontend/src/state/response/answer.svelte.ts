import type { Client, Reply } from '../../client'
import { Saver } from '../../client/saver'
import { Find } from './find.svelte'
import { forgetful, type Keeper, type Left } from './left'
import { DocumentRows } from './rows.svelte'

/** The view state of one response: rows, search, and restored state. */
export class Answer {
  readonly rows: DocumentRows
  /** In the tree. */
  readonly find: Find
  /** In the text as received. */
  readonly textFind: Find

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

  /** How it was left. */
  get left(): Left {
    return this.keeper.get()
  }

  /** For callbacks that may run when another response is already shown: `leaving('tree')(at)`. */
  leaving<K extends keyof Left>(what: K): (at: Left[K]) => void {
    return (at) => this.leave({ [what]: at } as Partial<Left>)
  }

  /** Keeps how something of it is left. */
  leave(change: Partial<Left>) {
    const { left } = this
    const news = Object.entries(change).filter(
      ([key, value]) => JSON.stringify(left[key as keyof Left]) !== JSON.stringify(value),
    )
    if (news.length) this.keeper.set({ ...left, ...Object.fromEntries(news) })
  }
}

const answers = new WeakMap<Reply, Answer>()

/** Returns the Answer of a reply, the same one each time, so that its state is kept while other tabs are shown. */
export function answerOf(client: Client, reply: Reply, keeper: () => Keeper): Answer {
  let answer = answers.get(reply)
  if (!answer) answers.set(reply, (answer = new Answer(client, reply, keeper())))
  return answer
}
