/** Renames a variable, and optionally its uses, with undo. */
import type { App } from '../state/app.svelte'
import { asFault, type DraftData, type Variable } from '../client'
import type { OpenTab } from '../state/tabs/workspace.svelte'
import { renamed, uses } from './variables'
import { text } from './text'

/** A former name of a variable, and what used it then, apart from open tabs. */
export interface Former {
  name: string
  requests: number
  extractors: number
}

/** Offers to rename the variable in everything that uses the first of its former names. */
export function followIn(app: App, { id, name: to }: Pick<Variable, 'id' | 'name'>, before: Former[]) {
  const using = (name: string) => app.workspace.tabs.filter((t) => uses(t.draft.text, name))
  const former = before.find((f) => f.requests || f.extractors || using(f.name).length)
  if (!former || former.name === to || app.variables.all.some((v) => v.name === former.name)) return
  const { name: from, requests, extractors } = former
  const where = places(
    [using(from).length, text.rename.openTabs],
    [requests, text.rename.savedRequests],
    [extractors, text.rename.extractors],
  )
  app.toasts.show(text.rename.isUsedIn(from, where), {
    tone: 'warn',
    action: { label: text.rename.renameTo(to), run: () => void follow(app, id, from, to, using(from)) },
    stay: true,
  })
}

async function follow(app: App, id: number, from: string, to: string, tabs: OpenTab[]) {
  try {
    const done = await app.client.variables.follow(id, from)
    const moved = tabs.map((tab) => ({
      tab,
      was: tab.draft.data(),
      saved: tab.saved,
      now: change(tab, renamed(tab.draft.data(), from, to), tab.saved && renamed(tab.saved, from, to)),
    }))
    const count = moved.length + done.requests + done.extractors
    const undo = async () => {
      try {
        const back = await app.client.variables.unfollow(id)
        const same = moved.filter(
          ({ tab, now }) => app.workspace.tabs.includes(tab) && JSON.stringify(tab.draft.data()) === now,
        )
        for (const { tab, was, saved } of same) change(tab, was, saved)
        const left = count - same.length - back.requests - back.extractors
        app.toasts.show(text.rename.standsAgainIn(from, places([count - left, text.rename.places]), left, to))
      } catch (e) {
        app.toasts.show(text.rename.notUndone(asFault(e).message), { tone: 'error' })
      }
    }
    app.toasts.show(text.rename.isNowIn(from, to, places([count, text.rename.places])), {
      tone: 'ok',
      action: { label: text.rename.undo, run: () => void undo() },
    })
  } catch (e) {
    app.toasts.show(text.rename.notRenamed(asFault(e).message), { tone: 'error' })
  }
}

/** Sets the draft of a tab and its saved version; returns the previous draft as JSON. */
function change(tab: OpenTab, draft: DraftData, saved: DraftData | null): string {
  const off = tab.draft.bodyOff
  tab.draft.load(draft)
  tab.draft.bodyOff = off
  tab.saved = saved
  tab.saver.touch()
  return JSON.stringify(tab.draft.data())
}

/** Returns `1 open tab, 2 saved requests and 1 extractor`, without zero counts. */
export function places(...counts: [number, (n: number) => string][]): string {
  const words = counts.filter(([n]) => n > 0).map(([n, counted]) => counted(n))
  return words.length > 1
    ? text.rename.and(words.slice(0, -1).join(', '), words.at(-1)!)
    : (words[0] ?? text.rename.noPlace)
}
