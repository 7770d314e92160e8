import { clock, slowClock } from './clock.svelte'

/** Minimum time between two refreshes of a follower, in milliseconds. */
const pace = 2000

/** Kinds of changes that a screen can follow: the names of the portal's resources. */
export type Changed =
  | 'admin'
  | 'alert'
  | 'alertRule'
  | 'apiToken'
  | 'auditLog'
  | 'collector'
  | 'collectorGroup'
  | 'dataSource'
  | 'delivery'
  | 'demoIncident'
  | 'demoTime'
  | 'device'
  | 'deviceDatasource'
  | 'deviceDatasourceInstance'
  | 'deviceGroup'
  | 'escalatingChain'
  | 'integration'
  | 'opsNote'
  | 'portalSetting'
  | 'recipientGroup'
  | 'remoteWrite'
  | 'report'
  | 'reportGroup'
  | 'reportTask'
  | 'role'
  | 'signInSetting'
  | 'sdt'
  | 'sdtHistory'

interface Follower {
  kinds: readonly Changed[]
  refresh: () => Promise<unknown> | void
  /** Its data has changed since the last refresh. */
  due: boolean
  /** Time of the last refresh. */
  at: number
  timer?: ReturnType<typeof setTimeout>
  busy?: boolean
}

/**
 * Passes changes from the event stream to the screens that follow them, so that no screen polls. While paused, hidden
 * or disconnected, changes are collected, and refresh each screen once afterwards.
 */
export class Live {
  /** Whether the stream is connected. */
  connected = $state(true)
  paused = $state(false)
  /** Time of the last response of a screen, in milliseconds; 0 for none yet. */
  at = $state(0)
  /** Whether the history of the demo is being created, so that missing samples may appear soon. */
  filling = $state(false)
  /** The portal's clock: that of a demo may be ahead, behind, faster or paused. */
  #time = $state.raw({ now: 0, at: 0, speed: 1 })
  #followers = new Set<Follower>()

  readonly state: 'live' | 'paused' | 'stale' = $derived.by(() =>
    this.paused ? 'paused' : this.connected ? 'live' : 'stale',
  )

  /** The current time on the portal's clock, in milliseconds. */
  get now(): number {
    const { now, at, speed } = this.#time
    return at ? now + (clock.now - at) * speed : clock.now
  }

  /** The same for ages, which do not change every second: at most 5 seconds late. */
  get about(): number {
    const { now, at, speed } = this.#time
    if (at && speed > 1) return this.now
    return at ? now + (slowClock.now - at) * speed : slowClock.now
  }

  /** Sets the portal's clock: the time in epoch seconds, and its speed. */
  setTime(now: number, speed: number) {
    this.#time = { now: now * 1000, at: Date.now(), speed }
  }

  /**
   * Calls refresh after changes of those kinds (names of the portal's resources), until the returned function is
   * called.
   */
  on(kinds: readonly Changed[], refresh: Follower['refresh']): () => void {
    const follower: Follower = { kinds, refresh, due: false, at: Date.now() }
    this.#followers.add(follower)
    return () => {
      clearTimeout(follower.timer)
      this.#followers.delete(follower)
    }
  }

  /** Handles a change of a kind. */
  hear(kind: string) {
    for (const follower of this.#followers) {
      if (!follower.kinds.some((k) => k === kind)) continue
      follower.due = true
      this.#plan(follower)
    }
  }

  /** Handles a connected or lost stream. After a reconnect it refreshes everything. */
  stream(connected: boolean) {
    const back = connected && !this.connected
    this.connected = connected
    if (back) this.#all()
  }

  pause(paused: boolean) {
    this.paused = paused
    if (!paused) this.wake()
    else for (const follower of this.#followers) clearTimeout(follower.timer)
  }

  /** Processes collected changes, for example when the page becomes visible. */
  wake() {
    for (const follower of this.#followers) this.#plan(follower)
  }

  /** Refreshes everything now. */
  refresh() {
    this.#all()
  }

  updated() {
    this.at = Date.now()
  }

  #all() {
    for (const follower of this.#followers) {
      follower.due = true
      this.#plan(follower, 0)
    }
  }

  #plan(follower: Follower, wait = Math.max(0, follower.at + pace - Date.now())) {
    if (!follower.due || follower.busy || this.paused || hidden()) return
    clearTimeout(follower.timer)
    follower.timer = setTimeout(() => void this.#run(follower), wait)
  }

  async #run(follower: Follower) {
    follower.due = false
    follower.busy = true
    try {
      await follower.refresh()
    } finally {
      follower.busy = false
      follower.at = Date.now()
      if (this.#followers.has(follower)) this.#plan(follower)
    }
  }
}

const hidden = () => typeof document !== 'undefined' && document.visibilityState === 'hidden'
