/** The values of the small charts in rows: requested together for the rows in view. */
import { untrack } from 'svelte'
import { useApp } from '../../state/app.svelte'
import type { MonitorClient } from '../../client/monitor'

/** A series: of an instance, or of the first instance of a data source on a device. */
export interface SparkSeries {
  instanceId?: number
  deviceId?: number
  dataSourceName?: string
  dataPointName: string
}

export interface Spark {
  unit: string
  /** Values at equal distances, the oldest first. Empty without any data. */
  values: readonly (number | null)[]
  min: number | null
  max: number | null
  last: number | null
}

type RequestSparks = (series: SparkSeries[], signal: AbortSignal) => Promise<Spark[]>

/** Series per request. */
const most = 200
/** Values to remember of rows that are out of view. */
const remembered = 1000
/** Milliseconds in which rows that come into view are collected; rows that only scroll past are not requested. */
const gather = 120
/** Minimum time between two updates of the rows in view, in milliseconds. */
const pace = 30_000

export class Sparklines {
  #found = $state.raw<ReadonlyMap<string, Spark>>(new Map())
  #watched = new Map<string, number>()
  /** Watched series whose values are missing or out of date. */
  #due = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #pending: AbortController | undefined
  #at = Date.now()

  constructor(private request: RequestSparks) {}

  /** Returns the values of a series; undefined while they are loading, and without data. */
  at(key: string): Spark | undefined {
    return this.#found.get(key)
  }

  /** Requests a series until the returned function is called. */
  watch(key: string): () => void {
    this.#watched.set(key, (this.#watched.get(key) ?? 0) + 1)
    if (!untrack(() => this.#found.has(key))) this.#want(key)
    return () => {
      const left = this.#watched.get(key)! - 1
      if (left) this.#watched.set(key, left)
      else {
        this.#watched.delete(key)
        this.#due.delete(key)
      }
    }
  }

  /** Updates the series in view, unless that was a short time ago. The old values stay until then. */
  refresh() {
    if (Date.now() - this.#at < pace) return
    this.#at = Date.now()
    this.#found = new Map([...untrack(() => this.#found)].filter(([key]) => this.#watched.has(key)))
    for (const key of this.#watched.keys()) this.#want(key)
  }

  stop() {
    clearTimeout(this.#timer)
    this.#pending?.abort()
  }

  #want(key: string) {
    this.#due.add(key)
    if (this.#pending) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#load(), gather)
  }

  async #load() {
    const keys = [...this.#due].slice(0, most)
    if (!keys.length) return
    for (const key of keys) this.#due.delete(key)
    const pending = (this.#pending = new AbortController())
    try {
      const items = await this.request(
        keys.map((key) => JSON.parse(key) as SparkSeries),
        pending.signal,
      )
      if (pending.signal.aborted) return
      const all = new Map(untrack(() => this.#found))
      keys.forEach((key, i) => {
        all.delete(key) // the newest are last
        all.set(key, items[i])
      })
      this.#found = new Map([...all].slice(-remembered))
    } catch {
      // the rows have their values without it, and the next change requests them again
    } finally {
      this.#pending = undefined
      if (this.#due.size && !pending.signal.aborted) this.#timer = setTimeout(() => void this.#load(), gather)
    }
  }
}

/** Returns the key of a series. */
export const keyOf = (series: SparkSeries) => JSON.stringify(series)

const path = '/device/instances/sparklines' as const

/** Hours that a sparkline shows. */
export const hours = 6

/** Sparklines of the portal, updated while devices change. Call it during component initialization. */
export function sparklines(): Sparklines {
  const app = useApp()
  const sparks = new Sparklines(async (series, signal) => {
    const portal: MonitorClient = app.client.monitor
    return (await portal.create(path, { series }, { query: { period: hours }, signal })).items
  })
  $effect(() => {
    const off = untrack(() => app.live.on(['device'], () => sparks.refresh()))
    return () => {
      off()
      sparks.stop()
    }
  })
  return sparks
}
