import { clock } from './clock.svelte'

/** Refreshes what concerns the same thing at most this often, in milliseconds. */
const pace = 2000

/** What a screen can hear of: the portal's resources, by the names that its changes have. */
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
  | 'sdt'
  | 'sdtHistory'

interface Follower {
  kinds: readonly Changed[]
  refresh: () => Promise<unknown> | void
  /** Something it is concerned with has changed since it was asked for. */
  due: boolean
  /** When it was asked for last. */
  at: number
  timer?: ReturnType<typeof setTimeout>
  busy?: boolean
}

/**
 * What the portal tells by the event stream of the page, handed to the screens
 * that are concerned: nobody polls. While paused, hidden or cut off, changes
 * are remembered and looked at afterwards, once.
 */
export class Live {
  /** The stream is there. */
  connected = $state(true)
  paused = $state(false)
  /** When the last answer of a screen came, in milliseconds; 0 for none yet. */
  at = $state(0)
  /** The past of the demo is being filled: what has no samples yet may have them soon. */
  filling = $state(false)
  /** How the portal's clock goes: a demo's may be ahead, behind, hurried or stopped. */
  #time = $state.raw({ now: 0, at: 0, speed: 1 })
  #followers = new Set<Follower>()

  readonly state: 'live' | 'paused' | 'stale' = $derived.by(() =>
    this.paused ? 'paused' : this.connected ? 'live' : 'stale',
  )

  /** The present of what the portal watches, in milliseconds. */
  get now(): number {
    const { now, at, speed } = this.#time
    return at ? now + (clock.now - at) * speed : clock.now
  }

  /** The portal's time as it was just told: now in epoch seconds, and how many of its seconds pass in one. */
  setTime(now: number, speed: number) {
    this.#time = { now: now * 1000, at: Date.now(), speed }
  }

  /** Calls refresh after changes of those kinds (names of the portal's resources), until the answer is called. */
  on(kinds: readonly Changed[], refresh: Follower['refresh']): () => void {
    const follower: Follower = { kinds, refresh, due: false, at: Date.now() }
    this.#followers.add(follower)
    return () => {
      clearTimeout(follower.timer)
      this.#followers.delete(follower)
    }
  }

  /** Something of a kind has changed. */
  hear(kind: string) {
    for (const follower of this.#followers) {
      if (!follower.kinds.some((k) => k === kind)) continue
      follower.due = true
      this.#plan(follower)
    }
  }

  /** The stream came or went. What was missed meanwhile is asked for. */
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

  /** Looks at what was held back, such as when the page is in sight again. */
  wake() {
    for (const follower of this.#followers) this.#plan(follower)
  }

  /** Asks for everything again now. */
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
