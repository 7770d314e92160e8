import type { Client, Reply } from '../../client'
import type { Column, Series } from '../../client/table'
import type { ShownResponse } from '../../state/response/shown-response.svelte'
import { columnKeys } from '../cells'
import { localTime } from '../epoch'
import type { LeftChart } from '../../state/response/left'
import { isFetched, lookUpFetched, lookUpFetchedLimits, lookUpFetchedMaintenance, namesOf } from '../../chart/fetched'
import {
  applies,
  findPlace,
  lookUpLimits,
  lookUpMeasured,
  remembering,
  type Limit,
  type Measured,
} from '../../chart/limits'
import { lookUpMaintenance, type Maintenance } from '../../chart/maintenance'
import { linesOf, shownAtFirst, type Drawn } from '../../chart/lines'
import { text } from '../text'
import { lasting } from '../../ui/lasting.svelte'

type Door = Pick<Client, 'series' | 'columns' | 'table' | 'lookup' | 'windows' | 'filter'>

/** A response as a chart: its lines, the visible ones, and their thresholds. */
export class Chart {
  series = $state.raw<Series>()
  limits = $state.raw<Limit[]>([])
  maintenance = $state.raw<Maintenance[]>([])
  measured = $state.raw<Map<string, Measured>>()
  /** Names of instances for which the response has only ids. */
  names = $state.raw<Map<string, string>>()
  shown = $state.raw<string[]>([])
  showLimits = $state(true)
  asTable = $state(false)
  range = $state.raw<{ from: number; to: number }>()
  problem = $state('')
  /** Why limits or maintenance could not be loaded. */
  missing = $state('')
  /** For a list: the columns with times, and those with numbers. */
  moments = $state.raw<Column[]>([])
  numbers = $state.raw<Column[]>([])
  /** The column to draw first: the one with the most different numbers; none if all are codes or constant. */
  proposed = $state.raw<string[]>([])
  time = $state('')

  readonly lines: Drawn[] = $derived(this.series ? linesOf(this.series, this.measured, this.names) : [])
  readonly drawn: Drawn[] = $derived(this.lines.filter((l) => this.shown.includes(l.key)))
  readonly drawnLimits: Limit[] = $derived(
    this.showLimits ? this.limits.filter((l) => this.drawn.some((d) => applies(l, d))) : [],
  )
  readonly times: number[][] = $derived(this.series?.sets.map((s) => s.time) ?? [])

  /** The lines cover only a part of the range. */
  closer = false
  #running = new AbortController()

  constructor(
    private door: Door,
    private reply: Reply,
    private was?: LeftChart,
  ) {}

  async begin() {
    try {
      const series = await this.door.series(this.reply.document, { points: points() })
      if (!series.sets.length) {
        await this.#offer(series)
        if (this.was?.time) await this.draw(this.was.time, this.was.lines ?? [])
        return
      }
      await Promise.race([this.#measure(series), patience()])
      this.#take(series)
    } catch (e) {
      this.problem = (e as Error).message
    }
  }

  /** Draws columns of a list. */
  async draw(time: string, lines: string[]) {
    try {
      this.time = time
      this.#take(await this.door.series(this.reply.document, { time, lines, points: points() }))
    } catch (e) {
      this.problem = (e as Error).message
    }
  }

  toggle(key: string) {
    if (!this.shown.includes(key)) this.shown = [...this.shown, key]
    else if (this.shown.length > 1) this.shown = this.shown.filter((k) => k !== key)
  }

  /** Zooms in: if points were omitted, requests those of the part. */
  async zoom(range: { from: number; to: number } | undefined) {
    if (range?.from === this.range?.from && range?.to === this.range?.to) return
    this.range = range
    if (!this.series?.thin && !this.closer) return
    this.#running.abort()
    const running = (this.#running = new AbortController())
    try {
      const lines = this.time ? this.lines.map((l) => l.point) : []
      const series = await this.door.series(
        this.reply.document,
        { points: points(), time: this.time, lines, ...range },
        running.signal,
      )
      if (running.signal.aborted) return
      this.closer = range !== undefined
      this.series = series
    } catch (e) {
      if (!running.signal.aborted) this.problem = (e as Error).message
    }
  }

  /** The state to store, once the chart is drawn. */
  get left(): LeftChart | undefined {
    if (!this.lines.length) return undefined
    const { time } = this
    return {
      shown: this.shown,
      limits: this.showLimits,
      table: this.asTable,
      range: this.range,
      ...(time && { time, lines: this.lines.map((l) => l.point) }),
    }
  }

  #take(series: Series) {
    this.series = series
    this.shown = shownAtFirst(this.lines, new Set(this.limits.map((l) => l.point)))
    const was = this.was
    if (!was || was.time !== (this.time || undefined)) return
    this.was = undefined
    const known = was.shown.filter((key) => this.lines.some((l) => l.key === key))
    if (known.length) this.shown = known
    this.showLimits = was.limits
    this.asTable = was.table
    if (was.range) void this.zoom(was.range)
  }

  async #measure(series: Series) {
    const { signal } = new AbortController()
    const door = remembering(this.door)
    const ends = series.sets.flatMap(({ time }) => (time.length ? [time[0], time[time.length - 1]] : []))
    const range = { from: Math.min(...ends, Date.now()), to: Math.max(...ends, 0) }
    const unread = (e: Error) => void (this.missing = text.chart.unread('thresholds', e.message))
    if (isFetched(this.reply.url)) {
      const placed = await lookUpFetched(door, this.reply.document, signal).catch(unread)
      if (!placed) return
      this.names = namesOf(placed)
      await this.#against(
        lookUpFetchedLimits(door, placed, series.sets.length, signal),
        lookUpFetchedMaintenance(door, placed, range, signal),
      )
      return
    }
    const place = await findPlace(door, this.reply.url, signal).catch(unread)
    if (!place) return
    const measured = place.graph ? lookUpMeasured(door, place, signal).then((m) => void (this.measured = m)) : undefined
    await this.#against(
      Promise.all([lookUpLimits(door, place, signal), measured]).then(([limits]) => limits),
      lookUpMaintenance(door, place, range, signal),
    )
  }

  async #against(limits: Promise<Limit[]>, maintenance: Promise<Maintenance[]>) {
    const [l, m] = await Promise.allSettled([limits, maintenance])
    if (l.status === 'fulfilled') this.limits = l.value
    if (m.status === 'fulfilled') this.maintenance = m.value
    const failed = [l, m].find((r) => r.status === 'rejected')
    if (failed)
      this.missing = text.chart.unread(
        l.status === 'rejected' ? 'thresholds' : 'maintenance',
        (failed.reason as Error).message,
      )
  }

  /** Offers the columns of a list for the axes: times and numbers. */
  async #offer(series: Series) {
    const { columns, shape } = await this.door.columns(this.reply.document, false, 1000)
    const numeric = shape === 'items' ? columns.filter((c) => c.kind === 'number') : []
    const { rows } = numeric.length
      ? await this.door.table(this.reply.document, { columns: numeric.map((c) => c.id), count: 50 })
      : { rows: [] }
    const key = (c: Column) => columnKeys(c.id).at(-1) ?? ''
    const isMoment = (c: Column, i: number) => rows.some((r) => r.cells[i] && localTime(key(c), r.cells[i].text))
    this.moments = numeric.filter(isMoment)
    this.numbers = numeric.filter((c, i) => !isMoment(c, i) && !/^id$|Id$/.test(key(c)))
    const variety = (c: Column) => new Set(rows.map((r) => r.cells[numeric.indexOf(c)]?.text)).size
    const measured = this.numbers.filter((c) => variety(c) > 1 && !/type$/i.test(key(c)))
    const [best] = measured.sort((a, b) => variety(b) - variety(a))
    this.proposed = best ? [best.id] : []
    this.series = series
  }
}

/** How long the first draw waits for thresholds; later ones are added to the drawn chart. */
const patience = () => new Promise((done) => setTimeout(done, 1500))

/** Returns the number of points: four for each pixel, because more are not visible. */
function points(): number {
  return Math.max(800, Math.min(20_000, (typeof innerWidth === 'number' ? innerWidth : 1280) * 4))
}

const charts = new WeakMap<Reply, Chart>()

/** Returns the Chart of a response, with its restored state. */
export function chartOf(door: Door, { reply, left }: ShownResponse): Chart {
  let chart = charts.get(reply)
  if (!chart) {
    chart = lasting(() => new Chart(door, reply, left.chart))
    charts.set(reply, chart)
    void chart.begin()
  }
  return chart
}
