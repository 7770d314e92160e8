import type { App } from '../state/app.svelte'
import type { Settings } from '../client'
import { text } from './text'

/** Resets settings, and offers to undo that. */
export function reset(app: App, what: string, keys: (keyof Settings & string)[]) {
  const before = Object.fromEntries(keys.map((key) => [key, app.settings.values[key] ?? null]))
  app.settings.save(Object.fromEntries(keys.map((key) => [key, null])))
  app.toasts.show(text.restored(what), { action: { label: text.undo, run: () => app.settings.save(before) } })
}
