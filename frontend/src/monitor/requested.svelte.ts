import { untrack } from 'svelte'
import { useApp, type App } from '../state/app.svelte'
import { asFault, Fault } from '../client'
import type { MonitorClient } from '../client/monitor'
import type { Changed } from '../state/monitor/live.svelte'
import { same } from './same'
import { text } from './text'

/** Data that a screen requested from the portal: the last response stays until the next one. */
export class Requested<T> {
  value = $state.raw<T>()
  fault = $state.raw<Fault>()
  /** Requested, without a response yet. */
  busy = $state(false)
  #pending: AbortController | undefined

  constructor(
    private app: App,
    private run: (portal: MonitorClient, signal: AbortSignal) => Promise<T>,
  ) {}

  async load(): Promise<void> {
    this.#pending?.abort()
    const pending = (this.#pending = new AbortController())
    this.busy = true
    try {
      const value = await this.run(this.app.client.monitor, pending.signal)
      if (pending.signal.aborted) return
      if (!same(value, this.value)) this.value = value
      this.fault = undefined
      this.app.live.updated()
    } catch (e) {
      if (pending.signal.aborted) return
      this.fault = noted(this.app, e)
    } finally {
      if (this.#pending === pending) this.busy = false
    }
  }

  stop() {
    this.#pending?.abort()
  }
}

/**
 * Requests data now, again when state that `run` reads before its first await changes, and again after changes of those
 * kinds in the portal. Call it during component initialization; it ends with the component.
 */
export function requested<T>(
  kinds: readonly Changed[],
  run: (portal: MonitorClient, signal: AbortSignal) => Promise<T>,
): Requested<T> {
  const app = useApp()
  const it = new Requested(app, run)
  $effect(() => {
    void it.load()
    return () => it.stop()
  })
  $effect(() => untrack(() => app.live.on(kinds, () => it.load())))
  return it
}

/** Returns a fault for a screen to show; if the session has ended, it opens the sign-in. */
function noted(app: App, e: unknown): Fault {
  const fault = asFault(e)
  if (fault.status === 401) app.session.ended = true
  return fault
}

/** Runs one of many calls in sequence: above the rate limit it waits, and shows a toast. */
export async function patiently<T>(app: App, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run()
    } catch (e) {
      const { status, retryAfter } = asFault(e)
      if ((status !== 429 && status !== 503) || !retryAfter) throw e
      app.toasts.show(text.waits(retryAfter), { tone: 'warn' })
      await new Promise((done) => setTimeout(done, retryAfter * 1000))
    }
  }
}

/** Runs a write, unless the portal is read-only. Shows an error as a toast, and returns undefined. */
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
