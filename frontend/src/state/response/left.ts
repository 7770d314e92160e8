import { untrack } from 'svelte'
import type { Client, Reply } from '../../client'
import type { Spot } from '../../ui/scroll'

/** A search, and the number of the shown match. */
export interface Sought {
  query: string
  matchCase: boolean
  index: number
}

/** The view state of a response, stored with its tab. */
export interface Left {
  /** The expanded state of the tree, encoded by Go. */
  open?: string
  /** The scroll position of the tree, and the current row; `show` scrolls to the row after a link. */
  tree?: { current: number; top: number; show?: boolean }
  find?: Sought
  textFind?: Sought
  /**
   * The scroll position of the text; for wrapped lines the first line, and the pixels of it above
   * the view.
   */
  text?: { top: number } | { line: number; above: number }
  headers?: Spot
  /** The scroll position of the list of values in the tools. */
  helpers?: Spot
  /** The item of the list with these values. */
  item?: number
  table?: { sort: string; desc: boolean; row: number; column: number; at?: Spot }
  chart?: LeftChart
  /** The same for a filter's matches. */
  matches?: Omit<Left, 'matches'> & { of: string }
}

export interface LeftChart {
  shown: string[]
  limits: boolean
  table: boolean
  range?: { from: number; to: number }
  /** For a list: the column with the times. The lines are its other columns. */
  time?: string
  lines?: string[]
}

/** Stores the view state of a response. */
export interface Keeper {
  get(): Left
  set(left: Left): void
}

/** The parts of a tab that concern its responses. */
interface Home {
  historyId: number
  view: Record<string, unknown>
  draft: { reply?: Reply }
  setView(change: Record<string, unknown>): void
}

/** Returns a Keeper that stores the state with the tab, only for the response that the tab shows. */
export function keeperOf(tab: Home, reply: Reply): Keeper {
  return {
    get: () => untrack(() => leftIn(tab.view, reply.historyId)),
    set: (left) =>
      untrack(() => {
        if (reply.historyId && tab.draft.reply === reply) tab.setView({ answer: { ...left, history: reply.historyId } })
      }),
  }
}

/** Returns the view state of a response from a tab's view. */
export function leftIn(view: Record<string, unknown>, historyId: number): Left {
  const kept = view.answer as (Left & { history?: number }) | undefined
  if (!historyId || typeof kept !== 'object' || kept?.history !== historyId) return {}
  const { history: _, ...left } = kept
  return left
}

/** Returns a Keeper for a filter's matches. */
export function keeperOfMatches(whole: Keeper, query: string): Keeper {
  return {
    get() {
      const { of, ...left } = whole.get().matches ?? { of: '' }
      return of === query ? left : {}
    },
    set: ({ matches: _, ...left }) => whole.set({ ...whole.get(), matches: { ...left, of: query } }),
  }
}

/** Returns a Keeper that stores nothing beyond the page's lifetime. */
export function forgetful(kept: Left = {}): Keeper {
  return { get: () => kept, set: (left) => void (kept = left) }
}

/** Returns a response with its tree expanded as before, or unchanged if that fails. */
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
