/** Watches of tabs: Go sends the request again and again, and the page follows the recording. */
import { asFault, type DraftData, type Reply } from '../../client'
import { watchClient, type WatchClient, type WatchEvent, type WatchSample } from '../../client/watch'
import type { App } from '../../state/app.svelte'
import { forgetful } from '../../state/response/left'
import { shownResponseOf } from '../../state/response/shown-response.svelte'
import type { OpenTab } from '../../state/tabs/workspace.svelte'
import { text } from './text'

export interface WatchOptions {
  /** Seconds from one request to the next. */
  every: number
  /** Stop when all checks of the request pass. */
  untilPassed: boolean
}

/** Numbers of a recording: those at a path, or about the responses. */
export interface WatchSeries {
  /** Its path, or its name. */
  name: string
  values: readonly (number | null)[]
}

/** Milliseconds between two announcements to screen readers. */
const quiet = 10_000

/** One watch, and its recording. */
export class Watch {
  readonly id = crypto.randomUUID()
  paths = $state.raw<readonly string[]>([])
  samples = $state.raw<readonly WatchSample[]>([])
  running = $state(true)
  /** Why it ended, or why it could not begin. */
  ended = $state('')
  /** When the next request may be sent, if the portal limits the rate; 0 otherwise. */
  waitsUntil = $state(0)
  /** The last change for screen readers; it is not updated with each sample. */
  announcement = $state('')
  /** Series in the chart, by name. */
  chosen = $state.raw<readonly string[]>([])
  readonly series: readonly WatchSeries[] = $derived.by(() => seriesOf(this.paths, this.samples))
  readonly #end = new AbortController()
  #saidAt = -quiet
  #reading: Promise<void> | undefined
  #again = false

  constructor(
    private readonly client: WatchClient,
    readonly draft: DraftData,
    readonly options: WatchOptions,
    /** Shows the last response; its changed values are nodes of its tree. */
    private readonly show: (reply: Reply, changed: number[]) => void,
  ) {}

  get every(): number {
    return this.options.every
  }

  /** Runs until it ends by itself or is stopped. */
  async run() {
    try {
      const { reason } = await this.client.watch(
        { watchId: this.id, draft: this.draft, ...this.options, anyway: false },
        this.#end.signal,
      )
      this.ended = reason
    } catch (e) {
      this.ended = this.#end.signal.aborted ? text.stopped : asFault(e).message
    }
    this.running = false
    this.waitsUntil = 0
    if (!this.#end.signal.aborted) await this.#read()
    this.announcement = this.ended
  }

  stop() {
    this.#end.abort()
  }

  hear(e: WatchEvent) {
    if (!this.running) return
    this.waitsUntil = e.wait ? Date.now() + e.wait : 0
    if (e.wait) this.announcement = text.waiting(Math.ceil(e.wait / 1000))
    if (e.samples > this.samples.length) void this.#read()
  }

  fileUrl(format: 'csv' | 'json'): string {
    return this.client.watchFileUrl(this.id, format)
  }

  choose(name: string, on: boolean) {
    this.chosen = on ? [...this.chosen, name] : this.chosen.filter((n) => n !== name)
  }

  /** Reads the new part of the recording. A call during a read makes it read again. */
  async #read(): Promise<void> {
    if (this.#reading) {
      this.#again = true
      return this.#reading
    }
    this.#reading = this.#readAll().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #readAll() {
    do {
      this.#again = false
      try {
        const news = await this.client.watched(this.id, this.samples.length, this.paths.length)
        if (!news.samples.length) continue
        this.paths = [...this.paths, ...news.paths]
        this.samples = [...this.samples, ...news.samples]
        if (news.reply && !this.#end.signal.aborted) this.show(news.reply, news.changed)
        this.#say()
      } catch {
        // a later event tries again
      }
    } while (this.#again)
  }

  #say() {
    const last = this.samples.at(-1)!
    if (last.at - this.#saidAt < quiet) return
    this.#saidAt = last.at
    this.announcement = text.progress(this.samples.length, last.changes)
  }
}

/** Returns the series of a recording: duration and size first, then those of the paths. */
export function seriesOf(paths: readonly string[], samples: readonly WatchSample[]): WatchSeries[] {
  return [
    { name: text.duration, values: samples.map((s) => s.ms) },
    { name: text.size, values: samples.map((s) => (s.status ? s.bytes : null)) },
    ...paths.map((name, i) => ({ name, values: samples.map((s) => s.values[i] ?? null) })),
  ]
}

/** Returns the last value of a series, and the one before it that differs. */
export function lastOf(values: readonly (number | null)[]): { last: number | null; before: number | null } {
  const last = values.at(-1) ?? null
  const before = values.findLast((v) => v !== null && v !== last) ?? null
  return { last, before }
}

const watches = $state<{ all: ReadonlyMap<OpenTab, Watch> }>({ all: new Map() })

/** Returns the watch of a tab that was started last. */
export function watchOf(tab: OpenTab): Watch | undefined {
  return watches.all.get(tab)
}

/** Returns how a tab is watched; the options are stored with it. */
export function optionsOf(tab: OpenTab): WatchOptions {
  const { every, untilPassed } = (tab.view.watch ?? {}) as Partial<WatchOptions>
  return { every: typeof every === 'number' ? every : 5, untilPassed: untilPassed === true }
}

let minding = false

/** Stops watches whose tab has been closed, and all when the session has ended. */
function mind(app: App) {
  if (minding) return
  minding = true
  $effect.root(() => {
    $effect(() => {
      const { tabs } = app.portals
      for (const [tab, watch] of watches.all) if (app.session.ended || !tabs.includes(tab)) watch.stop()
    })
  })
}

/** Starts to watch the request of the active tab and shows the recording, or stops. */
export function toggleWatch(app: App) {
  const tab = app.workspace.active
  if (tab?.draft.watch) return tab.draft.watch.stop()
  app.commands.runIfOffered('response.watch')
  if (tab) startWatch(app, tab)
}

/** Starts to watch the request of a tab. */
export function startWatch(app: App, tab: OpenTab): Watch | undefined {
  const { draft } = tab
  if (draft.method !== 'GET' || draft.watch) return undefined
  draft.absorb()
  const { client } = app
  const [data, checks, place] = [draft.data(), draft.checks.filter((c) => c.on), app.portals.place]
  const watch = new Watch(client.part(watchClient), data, optionsOf(tab), (reply, changed) => {
    const left = draft.reply && shownResponseOf(client, draft.reply, forgetful).left
    shownResponseOf(client, reply, () => forgetful(left)).changed = new Set(changed)
    draft.receive(reply, data, checks)
    draft.fault = undefined
    if (reply.quota && app.portals.place === place) app.activity.quota = reply.quota
  })
  draft.watch = watch
  watches.all = new Map([...watches.all].filter(([t]) => app.portals.tabs.includes(t)).concat([[tab, watch]]))
  app.activity.onwatch = (e) => {
    for (const one of watches.all.values()) if (one.id === e.watchId) one.hear(e)
  }
  mind(app)
  void watch.run().finally(() => {
    if (draft.watch === watch) draft.watch = undefined
  })
  return watch
}
