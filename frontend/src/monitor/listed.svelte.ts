import { untrack } from 'svelte'
import { useApp } from '../state/app.svelte'
import type { MonitorClient } from '../client/monitor'
import type { Changed } from '../state/monitor/live.svelte'
import { Windows, type Page } from './windows.svelte'

/**
 * A list of the portal in windows: requested now, again when state that `request` reads before its first await changes,
 * and again after changes of those kinds. Call it during component initialization.
 */
export function listed<T>(
  kinds: readonly Changed[],
  request: (portal: MonitorClient, offset: number, size: number, signal: AbortSignal) => Promise<Page<T>>,
): Windows<T> {
  const app = useApp()
  const rows = new Windows<T>(
    async (offset, size, signal) => {
      const page = await request(app.client.monitor, offset, size, signal)
      app.live.updated()
      return page
    },
    (fault) => {
      if (fault.status === 401) app.session.ended = true
    },
  )
  $effect(() => {
    void rows.reload()
    return () => rows.stop()
  })
  $effect(() => untrack(() => app.live.on(kinds, () => rows.follow())))
  return rows
}
