import type { App } from '../state/app.svelte'
import type { Draft } from '../state/request/draft.svelte'
import type { KeptTable } from './table.svelte'

const most = 100

/** Stores the columns of the tables of endpoints in the settings, for the newest hundred. */
export function keptTables(app: Pick<App, 'settings'>, draft: Draft) {
  const key = draft.endpoint?.id ?? `${draft.method} ${draft.path.split('?')[0]}`
  const all = () => (app.settings.values.tables ?? {}) as Record<string, KeptTable>
  return {
    get: (): KeptTable | undefined => all()[key],
    set(kept: KeptTable) {
      const others = Object.entries(all()).filter(([k]) => k !== key)
      app.settings.save({ tables: Object.fromEntries([...others.slice(1 - most), [key, kept]]) })
    },
  }
}
