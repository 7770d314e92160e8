import type { App } from '../app.svelte'
import type { Settings } from '../client'

/** Forgets settings, and offers to bring them back. */
export function reset(app: App, what: string, keys: (keyof Settings & string)[]) {
  const before = Object.fromEntries(keys.map((key) => [key, app.settings[key] ?? null]))
  app.save(Object.fromEntries(keys.map((key) => [key, null])))
  app.toast(`${what}: as it was made`, { action: { label: 'Undo', run: () => app.save(before) } })
}
