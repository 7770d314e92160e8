import type { App } from '../app.svelte'
import type { Settings } from '../client'
import { text } from './text'

/** Forgets settings, and offers to bring them back. */
export function reset(app: App, what: string, keys: (keyof Settings & string)[]) {
  const before = Object.fromEntries(keys.map((key) => [key, app.settings[key] ?? null]))
  app.save(Object.fromEntries(keys.map((key) => [key, null])))
  app.toast(text.asMade(what), { action: { label: text.undo, run: () => app.save(before) } })
}
