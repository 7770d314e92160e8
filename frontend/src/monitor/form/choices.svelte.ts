import { SvelteMap } from 'svelte/reactivity'
import type { App } from '../../state/app.svelte'
import { asFault } from '../../client'
import { text as words } from './text'

export interface Choices {
  list: { value: string; text: string; row: Record<string, unknown> }[]
  loading: boolean
  problem: string
}

const most = 1000
const pending = new Set<string>()
/** Created with the page, because a computation does not track state that it creates itself. */
const shelf = new SvelteMap<string, Choices>()

/** Options from the portal; loaded once, until reset. */
export function choicesOf(app: App, from: { path: string; value: string; text: string; more?: string }): Choices {
  const key = `${app.portal.id} ${from.path} ${from.value} ${from.text} ${from.more ?? ''}`
  const there = shelf.get(key)
  if (there) return there
  const waiting: Choices = { list: [], loading: true, problem: '' }
  if (pending.has(key)) return waiting
  pending.add(key)
  const done = (choices: Choices) => {
    pending.delete(key)
    shelf.set(key, choices)
  }
  void app.client.rest
    .list<Record<string, unknown>>(from.path, {
      size: most,
      sort: from.text,
      fields: [...new Set(['id', from.value, from.text, ...(from.more ? [from.more] : [])])].join(','),
    })
    .then(
      ({ items }) =>
        done({
          list: items.map((row) => ({
            value: String(row[from.value]),
            text: String(row[from.text] || words.nameless(String(row.id))),
            row,
          })),
          loading: false,
          problem: '',
        }),
      (e: unknown) => done({ list: [], loading: false, problem: asFault(e).message }),
    )
  return waiting
}

/** Resets all options, which may have changed. */
export function forgetChoices() {
  shelf.clear()
}
