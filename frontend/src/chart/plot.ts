/** Draws lines with uPlot. Loaded when the first chart is shown, not before. */
import '../ui/language' // before uPlot
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './plot.css'
import { bundled, freeSpot, tracesOf, type Label } from './labels'
import { freeRow, isNear, markOf, shown, spanOf, stacked, tick, timeTicks, type Drawn } from './lines'
import { applies, beyond, severityWords, type Limit } from './limits'
import type { Maintenance } from './maintenance'
import { text as words } from './text'

export interface PlotOptions {
  lines: Drawn[]
  /** For each line, the index of its color and dashes. */
  places: number[]
  /** The times of each set. */
  times: number[][]
  limits: Limit[]
  maintenance: Maintenance[]
  /** The names of the instances of limits, if they differ from their keys. */
  names?: ReadonlyMap<string, string>
  unit: string
  range?: { from: number; to: number }
  onrange(range: { from: number; to: number }): void
  onreset(): void
  oncursor(index: number | null): void
  /** Returns the text below the crosshair at a point. */
  textOf?(index: number): string
}

/**
 * Returns the times of all lines, and the values of each line at them: null is a gap, undefined a
 * time of another set.
 */
export function aligned({ lines, times }: Pick<PlotOptions, 'lines' | 'times'>): uPlot.AlignedData {
  const sets = times.map(
    (time, set) => [time, ...lines.filter((l) => l.set === set).map((l) => l.values)] as uPlot.AlignedData,
  )
  if (sets.length < 2) return sets[0] ?? [[]]
  return uPlot.join(
    sets,
    sets.map((s) => s.map(() => 2)),
  )
}

export class Plot {
  readonly chart: uPlot
  readonly data: uPlot.AlignedData
  #resize: ResizeObserver
  #ready = false // the first draw is not a zoom by the user
  #taken: Label[] = [] // the labels drawn so far
  #reach: number | undefined
  #tag = Object.assign(document.createElement('span'), { className: 'tag num', ariaHidden: 'true' })

  constructor(
    private host: HTMLElement,
    private o: PlotOptions,
  ) {
    this.data = aligned(o)
    const [moments, ...values] = this.data
    this.chart = new uPlot(this.#options(), [moments, ...stacked(values, o.lines)] as uPlot.AlignedData, host)
    this.#resize = new ResizeObserver(() => {
      const [width, height] = [host.clientWidth, host.clientHeight]
      // the first call comes without a change, and setSize draws in any case
      if (width !== this.chart.width || height !== this.chart.height) this.chart.setSize({ width, height })
    })
    this.#resize.observe(host)
    if (o.range) this.show(o.range.from, o.range.to)
    requestAnimationFrame(() => (this.#ready = true))
  }

  show(from: number, to: number) {
    this.chart.setScale('x', { min: from, max: to })
  }

  get extent(): { from: number; to: number } {
    const x = this.data[0]
    return { from: x[0] ?? 0, to: x[x.length - 1] ?? 0 }
  }

  reset() {
    const { from, to } = this.extent
    this.show(from, to)
  }

  /** Moves the crosshair to a point. */
  point(index: number) {
    this.chart.setCursor({ left: this.chart.valToPos(this.data[0][index], 'x'), top: this.chart.over.clientHeight / 2 })
  }

  /** Removes the crosshair. */
  leave() {
    this.chart.setCursor({ left: -10, top: -10 })
  }

  #say(u: uPlot) {
    const [index, left] = [u.cursor.idx, u.cursor.left ?? -1]
    const tag = this.#tag
    if (!this.o.textOf || index == null || left < 0) return tag.remove()
    tag.textContent = this.o.textOf(index)
    if (!tag.isConnected) u.over.append(tag)
    const half = tag.offsetWidth / 2
    tag.style.left = `${Math.max(half, Math.min(u.over.clientWidth - half, u.valToPos(this.data[0][index], 'x')))}px`
  }

  /** Highlights the range from one point to another. */
  brush(from: number, to: number) {
    const [a, b] = [from, to].map((i) => this.chart.valToPos(this.data[0][i], 'x'))
    this.chart.setSelect(
      { left: Math.min(a, b), width: Math.abs(a - b), top: 0, height: this.chart.over.clientHeight },
      false,
    )
  }

  destroy() {
    this.#resize.disconnect()
    this.chart.destroy()
  }

  /**
   * Draws other limits, for example while one is dragged. The scale stays unless it would hide one of them. It shows
   * limits up to `reach` times as far from zero as the values.
   */
  limit(limits: Limit[], reach?: number) {
    this.o = { ...this.o, limits }
    this.#reach = reach
    const { min, max } = this.chart.scales.y
    const ends = this.chart.series.slice(1).flatMap((s) => [s.min, s.max].filter((n) => n != null))
    const [low, high] = ends.length ? this.#span(Math.min(...ends), Math.max(...ends)) : this.#span(null, null)
    const hidden = ({ value }: Limit) =>
      value >= low && value <= high && (value < (min ?? -Infinity) || value > (max ?? Infinity))
    if (limits.some(hidden)) this.chart.setScale('y', { min: low, max: high })
    else this.chart.redraw(false)
  }

  #colour(name: string): string {
    return getComputedStyle(this.host).getPropertyValue(name).trim()
  }

  #options(): uPlot.Options {
    const { o } = this
    const axis = {
      stroke: this.#colour('--text-3'),
      font: `12px ${this.#font}`,
      grid: { stroke: this.#colour('--line-1'), width: 1 },
      ticks: { stroke: this.#colour('--line-2'), width: 1, size: 5 },
    }
    return {
      width: this.host.clientWidth,
      height: this.host.clientHeight,
      ms: 1,
      // uPlot rounds the start of a zoom up, so that its ticks are a millisecond early: 23:09 for 23:10
      tzDate: (at) => new Date(at),
      legend: { show: false },
      padding: [12, 32, 0, 4], // room for half of `08:00 AM` right of the last tick
      cursor: {
        drag: { x: true, y: false },
        points: { size: 7 },
        y: false,
        bind: { dblclick: () => () => (o.onreset(), null) },
      },
      scales: { x: { time: true }, y: { range: (_, min, max) => this.#span(min, max) } },
      axes: [
        { ...axis, size: 44, space: 72, values: (_, at, __, ___, step) => timeTicks(at, step) },
        { ...axis, size: 60, space: 32, values: (_, at) => at.map((n) => tick(n, o.unit)) },
      ],
      series: [
        {},
        ...o.lines.map((line, i) => ({
          label: line.name,
          width: 1.5,
          dash: markOf(o.places[i]).dash,
          points: { show: line.count === 1 },
          stroke: (u: uPlot) => this.#stroke(u, line, this.#colour(markOf(o.places[i]).token)),
          ...(line.stack && this.#below(i) < 0 && { fill: () => this.#area(i), fillTo: 0 }),
        })),
      ],
      bands: o.lines.flatMap((line, i) =>
        line.stack && this.#below(i) >= 0
          ? [{ series: [i + 1, this.#below(i) + 1] as [number, number], fill: () => this.#area(i) }]
          : [],
      ),
      hooks: {
        drawClear: [(u) => this.#under(u)],
        drawAxes: [(u) => this.#limits(u)],
        draw: [(u) => this.#over(u)],
        setScale: [
          (u, key) => {
            const { min, max } = u.scales.x
            if (key === 'x' && this.#ready && min != null && max != null) o.onrange({ from: min, to: max })
          },
        ],
        setCursor: [
          (u) => {
            this.#say(u)
            o.oncursor(u.cursor.idx ?? null)
          },
        ],
      },
    }
  }

  /** Returns the index of the line below in a stack; -1 for the lowest. */
  #below(i: number): number {
    return this.o.lines.findLastIndex((l, at) => at < i && l.stack && l.set === this.o.lines[i].set)
  }

  #area(i: number): string {
    return `color-mix(in srgb, ${this.#colour(markOf(this.o.places[i]).token)} 28%, transparent)`
  }

  /** The scale shows all values, and limits that are not far from them. */
  #span(min: number | null, max: number | null): [number, number] {
    const values = [...(min == null ? [] : [min]), ...(max == null ? [] : [max])]
    values.push(...this.o.limits.map((l) => l.value).filter((limit) => isNear(limit, values, this.o.unit, this.#reach)))
    if (!values.length) return [0, 1]
    if (this.o.lines.some((l) => l.stack)) values.push(0)
    const [low, high] = spanOf(values)
    return uPlot.rangeNum(low, high, 0.08, true) as [number, number]
  }

  /** A line has the color of the severity beyond a limit; compared lines keep their own colors. */
  #stroke(u: uPlot, line: Drawn, base: string): string | CanvasGradient {
    const limits = this.o.times.length > 2 ? [] : this.o.limits.filter((l) => applies(l, line))
    const { top, height } = u.bbox
    // A chart that has left the page, and is drawn once more, has no colors.
    if (!limits.length || !(height > 0) || !this.host.isConnected) return base
    const at = (value: number) => Math.max(0, Math.min(1, (top + height - u.valToPos(value, 'y', true)) / height))
    const rising = limits[0].op.startsWith('>')
    const sorted = [...limits].sort((a, b) => a.value - b.value)
    const gradient = u.ctx.createLinearGradient(0, top + height, 0, top)
    let colour = rising ? base : this.#colour(`--${sorted[0].severity}`)
    gradient.addColorStop(0, colour)
    sorted.forEach((limit, i) => {
      gradient.addColorStop(at(limit.value), colour)
      colour = rising
        ? this.#colour(`--${limit.severity}`)
        : i + 1 < sorted.length
          ? this.#colour(`--${sorted[i + 1].severity}`)
          : base
      gradient.addColorStop(at(limit.value), colour)
    })
    gradient.addColorStop(1, colour)
    return gradient
  }

  /** Draws behind the lines: maintenance, and the areas beyond the limits. */
  #under(u: uPlot) {
    const { left, top, width, height } = u.bbox
    const { ctx } = u
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, top, width, height)
    ctx.clip()
    // With several data points, areas would suggest that all have the same limits.
    for (const limit of new Set(this.o.limits.map((l) => `${l.of ?? ''}\n${l.point}`)).size > 1 ? [] : this.o.limits) {
      const rising = limit.op.startsWith('>')
      const next = beyond(limit, this.o.limits) // has a color of its own
      const y = u.valToPos(limit.value, 'y', true)
      const end = next ? u.valToPos(next.value, 'y', true) : rising ? top : top + height
      ctx.globalAlpha = 0.45
      ctx.fillStyle = this.#colour(`--${limit.severity}-bg`)
      ctx.fillRect(left, Math.min(y, end), width, Math.abs(end - y))
    }
    for (const m of this.o.maintenance) {
      const [a, b] = [m.from, m.to].map((t) => u.valToPos(t, 'x', true))
      if (b < left || a > left + width) continue
      ctx.fillStyle = this.#colour('--sdt')
      ctx.globalAlpha = 0.14
      ctx.fillRect(a, top, Math.max(1, b - a), height)
      ctx.globalAlpha = 1
    }
    ctx.restore()
  }

  /** Draws the limits with their names, behind the lines, so that they never cover a value. */
  #limits(u: uPlot) {
    const { left, top, width, height } = u.bbox
    const { ctx } = u
    const line = 14 * devicePixelRatio
    const names = new Set(this.o.lines.map((l) => l.point)).size > 1
    const limits = this.o.limits.map((limit) => ({ limit, y: Math.round(u.valToPos(limit.value, 'y', true)) + 0.5 }))
    this.#taken = []
    ctx.save()
    ctx.lineWidth = devicePixelRatio
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
    for (const { limit, y } of limits) {
      if (y < top || y > top + height) continue
      ctx.strokeStyle = this.#colour(`--${limit.severity}`)
      ctx.beginPath()
      ctx.moveTo(left, y)
      ctx.lineTo(left + width, y)
      ctx.stroke()
    }
    ctx.setLineDash([])
    const rules = limits.map((l) => l.y)
    const [wide, traces] = [(text: string) => this.#wide(u, text), this.#traces(u)]
    const inside = limits.filter(({ y }) => y >= top && y <= top + height)
    const outside = limits.filter((l) => !inside.includes(l)).map((l) => [l])
    for (const group of [...outside, ...bundled(inside, line)]) {
      const y = group[0].y
      const arrow = y < top ? '↑ ' : y > top + height ? '↓ ' : ''
      const parts = group.map(({ limit }, i) => ({
        text: `${i ? ' · ' : arrow}${this.#limitText(limit, names)}`,
        colour: this.#colour(`--${limit.severity}`),
      }))
      // prefers a row near its own lines, above them and below
      const near = (r: number) => Math.min(...group.map((l) => Math.abs(l.y - r)))
      const rows = arrow
        ? [arrow === '↑ ' ? top + line + 4 * devicePixelRatio : top + height - 4 * devicePixelRatio]
        : [
            y,
            group[group.length - 1].y + line + 2 * devicePixelRatio,
            ...rules.flatMap((r) => [r, r + line + 2 * devicePixelRatio]).sort((a, b) => near(a) - near(b)),
          ].filter((r) => r > line && r < top + height)
      const width = wide(parts.map((p) => p.text).join(''))
      const at = freeSpot(rows, { width, height: line }, traces, rules, this.#taken)
      if (at) this.#label(u, parts, at)
      else this.#crowded(u, parts, width, rows[0] ?? y)
    }
    ctx.restore()
  }

  /** Draws in front of the lines: the names of maintenance, and the ticks of the time axis. */
  #over(u: uPlot) {
    const { left, top, width, height } = u.bbox
    const { ctx } = u
    const line = 14 * devicePixelRatio
    // Names of maintenance must not overlap limits: each limit counts as a text of full width.
    const taken = [
      ...this.#taken,
      ...this.o.limits.map((l) => ({ x: left, y: u.valToPos(l.value, 'y', true) + line / 2, width })),
    ]
    ctx.save()
    ctx.fillStyle = this.#colour('--sdt')
    for (const m of this.o.maintenance) {
      const [a, b] = [m.from, m.to].map((t) => u.valToPos(t, 'x', true))
      if (b < left || a > left + width) continue
      const text = words.plot.maintenance(m.comment, m.of)
      const wide = this.#wide(u, text)
      const x = Math.max(left + 4, Math.min(Math.max(a, left) + 6, left + width - wide - 4))
      const y = freeRow(taken, x - 8, wide + 16, top + line + 4 * devicePixelRatio, line, Math.floor(height / line) - 1)
      taken.push({ x, y, width: wide })
      this.#write(u, text, x, y - 4 * devicePixelRatio)
    }
    ctx.fillStyle = this.#colour('--line-3')
    for (let x = left; x <= left + width; x += 4 * devicePixelRatio)
      ctx.fillRect(Math.round(x), top + height - 4 * devicePixelRatio, devicePixelRatio, 4 * devicePixelRatio)
    ctx.restore()
  }

  #limitText(limit: Limit, names: boolean): string {
    return `${limit.of ? `${this.o.names?.get(limit.of) ?? limit.of} ` : ''}${names ? `${limit.point} ` : ''}${severityWords[limit.severity]} ${limit.op} ${shown(limit.value, this.o.unit)}`
  }

  /** Returns the extent of the lines. */
  #traces(u: uPlot) {
    const { left, width } = u.bbox
    const moments = u.data[0]
    const lines = u.data
      .slice(1)
      .map((values) =>
        Array.from(values).flatMap((v, i) =>
          v === undefined
            ? []
            : [v === null ? undefined : { x: u.valToPos(moments[i], 'x', true), y: u.valToPos(v, 'y', true) }],
        ),
      )
    return tracesOf(lines, left, width, 8 * devicePixelRatio)
  }

  #label(u: uPlot, parts: readonly { text: string; colour: string }[], at: Label) {
    this.#taken.push(at)
    let x = at.x
    for (const { text, colour } of parts) {
      u.ctx.fillStyle = colour
      this.#write(u, text, x, at.y - 4 * devicePixelRatio)
      x += this.#wide(u, text)
    }
  }

  /** Draws a text at the left end of a row without a free place, right of existing texts, if there is room. */
  #crowded(u: uPlot, parts: readonly { text: string; colour: string }[], wide: number, y: number) {
    const { left, width } = u.bbox
    const x = Math.max(
      left + 4,
      ...this.#taken.filter((t) => Math.abs(t.y - y) < 14 * devicePixelRatio).map((t) => t.x + t.width + 12),
    )
    if (x + wide < left + width) this.#label(u, parts, { x, y, width: wide })
  }

  get #font(): string {
    return getComputedStyle(this.host).fontFamily
  }

  #wide(u: uPlot, text: string): number {
    u.ctx.font = `${12 * devicePixelRatio}px ${this.#font}`
    return u.ctx.measureText(text).width
  }

  #write(u: uPlot, text: string, x: number, y: number) {
    u.ctx.font = `${12 * devicePixelRatio}px ${this.#font}`
    u.ctx.textAlign = 'left'
    u.ctx.textBaseline = 'alphabetic'
    u.ctx.save() // an outline in the background color, so that lines do not cross the words
    u.ctx.lineJoin = 'round'
    u.ctx.lineWidth = 4 * devicePixelRatio
    u.ctx.strokeStyle = this.#colour('--bg-panel')
    u.ctx.strokeText(text, x, y)
    u.ctx.restore()
    u.ctx.fillText(text, x, y)
  }
}
