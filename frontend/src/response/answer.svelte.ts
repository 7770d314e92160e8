import type { Client, Reply } from '../client'
import { Find } from './find.svelte'
import { DocumentRows } from './rows.svelte'

/** What the pane knows about one answer while it is looked at: rows, find, the place. */
export class Answer {
  readonly rows: DocumentRows
  /** In the tree. */
  readonly find: Find
  /** In the text as it came. */
  readonly textFind: Find
  /** Where the reader was in the tree, to come back to it. */
  place: { current: number; top: number } | undefined

  constructor(
    client: Client,
    readonly reply: Reply,
  ) {
    this.rows = new DocumentRows(client, reply.document, reply)
    this.find = new Find((query, match, matchCase, signal) => this.rows.find(query, match, matchCase, signal))
    this.textFind = new Find((query, match, matchCase, signal) => client.findText(reply.document, query, match, matchCase, signal))
  }
}

const answers = new WeakMap<Reply, Answer>()

/** The one Answer of a reply: what was open and found is still so when the tab is looked at again. */
export function answerOf(client: Client, reply: Reply): Answer {
  let answer = answers.get(reply)
  if (!answer) answers.set(reply, (answer = new Answer(client, reply)))
  return answer
}
