/** A variable under another name: what uses it may follow, all at once, and come back. */
import type { App } from '../app.svelte'
import { asFault, type DraftData, type Variable } from '../client'
import type { OpenTab } from '../tabs/workspace.svelte'
import { renamed, uses } from './variables'

/** What a variable was called, and what used it then beside the open tabs. */
export interface Former {
  name: string
  requests: number
  extractors: number
}

/** Offers that what uses the first of the former names follows. */
export function followIn(app: App, { id, name: to }: Pick<Variable, 'id' | 'name'>, before: Former[]) {
  const using = (name: string) => app.workspace.tabs.filter((t) => uses(t.draft.text, name))
  const former = before.find((f) => f.requests || f.extractors || using(f.name).length)
  if (!former || former.name === to || app.variables.some((v) => v.name === former.name)) return
  const { name: from, requests, extractors } = former
  const where = places([using(from).length, 'open tab'], [requests, 'saved request'], [extractors, 'extractor'])
  app.toast(`{{${from}}} is used in ${where}`, { action: { label: `Rename to {{${to}}}`, run: () => void follow(app, id, from, to, using(from)) }, stay: true })
}

async function follow(app: App, id: number, from: string, to: string, tabs: OpenTab[]) {
  try {
    const done = await app.client.variables.follow(id, from)
    const moved = tabs.map((tab) => ({ tab, was: tab.draft.data(), saved: tab.saved, now: change(tab, renamed(tab.draft.data(), from, to), tab.saved && renamed(tab.saved, from, to)) }))
    const count = moved.length + done.requests + done.extractors
    const undo = async () => {
      try {
        const back = await app.client.variables.unfollow(id)
        const same = moved.filter(({ tab, now }) => app.workspace.tabs.includes(tab) && JSON.stringify(tab.draft.data()) === now)
        for (const { tab, was, saved } of same) change(tab, was, saved)
        const left = count - same.length - back.requests - back.extractors
        app.toast(`{{${from}}} stands again in ${places([count - left, 'place'])}${left ? `; ${places([left, 'place'])} changed since and stayed` : ''}. The variable is still called {{${to}}}`)
      } catch (e) {
        app.toast(`Not taken back: ${asFault(e).message}`, { tone: 'error' })
      }
    }
    app.toast(`{{${from}}} is {{${to}}} now in ${places([count, 'place'])}`, { tone: 'ok', action: { label: 'Undo', run: () => void undo() } })
  } catch (e) {
    app.toast(`Not renamed: ${asFault(e).message}`, { tone: 'error' })
  }
}

/** Gives a tab another draft and another saved one; the draft as it is then, as JSON. */
function change(tab: OpenTab, draft: DraftData, saved: DraftData | null): string {
  const off = tab.draft.bodyOff
  tab.draft.load(draft)
  tab.draft.bodyOff = off
  tab.saved = saved
  tab.saver.touch()
  return JSON.stringify(tab.draft.data())
}

/** `1 open tab, 2 saved requests and 1 extractor`; what there is none of is left out. */
export function places(...counts: [number, string][]): string {
  const words = counts.filter(([n]) => n > 0).map(([n, noun]) => `${n} ${noun}${n === 1 ? '' : 's'}`)
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : (words[0] ?? 'no place')
}
