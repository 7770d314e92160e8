import { untrack } from 'svelte'
import type { Client, Reply } from '../../client'
import type { Spot } from '../../ui/scroll'

/** What was looked for, and which of the matches was shown. */
export interface Sought {
  query: string
  matchCase: boolean
  index: number
}

/** How an answer was left: kept with its tab, to find it so again. */
export interface Left {
  /** What is open in the tree, in Go's words. */
  open?: string
  /** Where in the tree, and the current row; shown when it is led to from elsewhere. */
  tree?: { current: number; top: number; show?: boolean }
  find?: Sought
  textFind?: Sought
  /** Where in the text; of wrapped lines the first one, and how much of it is above. */
  text?: { top: number } | { line: number; above: number }
  headers?: Spot
  /** The list of its values, in the tools. */
  helpers?: Spot
  /** The item of the list that they are of. */
  item?: number
  table?: { sort: string; desc: boolean; row: number; column: number; at?: Spot }
  chart?: LeftChart
  /** The same of a filter's matches. */
  matches?: Omit<Left, 'matches'> & { of: string }
}

export interface LeftChart {
  shown: string[]
  limits: boolean
  table: boolean
  range?: { from: number; to: number }
  /** Of a list: the column with the moments. The lines are its columns then. */
  time?: string
  lines?: string[]
}

/** Where it is kept how an answer was left. */
export interface Keeper {
  get(): Left
  set(left: Left): void
}

/** A tab as far as its answers are concerned. */
interface Home {
  historyId: number
  view: Record<string, unknown>
  draft: { reply?: Reply }
  setView(change: Record<string, unknown>): void
}

/** Keeps it with the tab, for the one answer that the tab shows; of others nothing. */
export function keeperOf(tab: Home, reply: Reply): Keeper {
  return {
    get: () => untrack(() => leftIn(tab.view, reply.historyId)),
    set: (left) =>
      untrack(() => {
        if (reply.historyId && tab.draft.reply === reply) tab.setView({ answer: { ...left, history: reply.historyId } })
      }),
  }
}

/** How the answer was left, as a tab's view has it. */
export function leftIn(view: Record<string, unknown>, historyId: number): Left {
  const kept = view.answer as (Left & { history?: number }) | undefined
  if (!historyId || typeof kept !== 'object' || kept?.history !== historyId) return {}
  const { history: _, ...left } = kept
  return left
}

/** The part of a keeper that is of a filter's matches. */
export function keeperOfMatches(whole: Keeper, query: string): Keeper {
  return {
    get() {
      const { of, ...left } = whole.get().matches ?? { of: '' }
      return of === query ? left : {}
    },
    set: ({ matches: _, ...left }) => whole.set({ ...whole.get(), matches: { ...left, of: query } }),
  }
}

/** Keeps nothing beyond the page's life. */
export function forgetful(): Keeper {
  let kept: Left = {}
  return { get: () => kept, set: (left) => void (kept = left) }
}

/** An answer with its tree open as it was left; as it came when that cannot be done. */
export async function unfolded<T extends Pick<Reply, 'document' | 'rows' | 'rowCount'>>(
  client: Pick<Client, 'unfold'>,
  reply: T,
  open: string | undefined,
): Promise<T> {
  if (!open) return reply
  try {
    const { rows, total } = await client.unfold(reply.document, open, 0, 200)
    return { ...reply, rows, rowCount: total }
  } catch {
    return reply
  }
}
