import { untrack } from 'svelte'
import { useApp, type App } from '../state/app.svelte'
import { asFault, Fault } from '../client'
import type { MonitorClient } from '../client/monitor'
import type { Changed } from '../state/monitor/live.svelte'
import { same } from './same'
import { text } from './text'

/** Something a screen asked the portal for: the last answer stays until another one is there. */
export class Asked<T> {
  value = $state.raw<T>()
  fault = $state.raw<Fault>()
  /** Asked for, and no answer yet. */
  busy = $state(false)
  #asking: AbortController | undefined

  constructor(
    private app: App,
    private run: (portal: MonitorClient, signal: AbortSignal) => Promise<T>,
  ) {}

  async load(): Promise<void> {
    this.#asking?.abort()
    const asking = (this.#asking = new AbortController())
    this.busy = true
    try {
      const value = await this.run(this.app.client.monitor, asking.signal)
      if (asking.signal.aborted) return
      if (!same(value, this.value)) this.value = value
      this.fault = undefined
      this.app.live.updated()
    } catch (e) {
      if (asking.signal.aborted) return
      this.fault = noted(this.app, e)
    } finally {
      if (this.#asking === asking) this.busy = false
    }
  }

  stop() {
    this.#asking?.abort()
  }
}

/**
 * Asks now, again when something that `run` reads before its first await
 * changes, and again after changes of those kinds in the portal. For the
 * beginning of a component; what is asked for ends with it.
 */
export function asked<T>(
  kinds: readonly Changed[],
  run: (portal: MonitorClient, signal: AbortSignal) => Promise<T>,
): Asked<T> {
  const app = useApp()
  const it = new Asked(app, run)
  $effect(() => {
    void it.load()
    return () => it.stop()
  })
  $effect(() => untrack(() => app.live.on(kinds, () => it.load())))
  return it
}

/** A fault as a screen shows it; an ended session brings the sign-in. */
function noted(app: App, e: unknown): Fault {
  const fault = asFault(e)
  if (fault.status === 401) app.session.ended = true
  return fault
}

/**
 * One of many calls in a row: where there are more than the portal takes in a
 * minute it is made once there is room, and that is told.
 */
export async function patiently<T>(app: App, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run()
    } catch (e) {
      const { status, retryAfter } = asFault(e)
      if ((status !== 429 && status !== 503) || !retryAfter) throw e
      app.toasts.show(text.waits(retryAfter))
      await new Promise((done) => setTimeout(done, retryAfter * 1000))
    }
  }
}

/**
 * Does something to the portal, unless that is locked against writes. What went
 * wrong is shown as a toast, and undefined answered.
 */
export async function write<T>(
  app: App,
  what: string,
  run: (portal: MonitorClient) => Promise<T>,
): Promise<T | undefined> {
  try {
    if (app.portal.readOnly) throw new Fault(text.locked(app.portal.name))
    return await run(app.client.monitor)
  } catch (e) {
    app.toasts.show(text.failed(what, noted(app, e).message), { tone: 'error' })
    return undefined
  }
}
