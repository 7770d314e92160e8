import type { Line, Series } from '../client/table'
import type { Measured } from './limits'
import { compact, dayMonth, exactTime, fiveDigits, fourDigits, time as clock } from '../ui/locale'
import type { Label } from './labels'
import { text } from './text'

/** A line as drawn. Its index determines its color and dashes. */
export interface Drawn extends Line, Measured {
  key: string
  set: number
  /** Stacked as an area on the previous lines of its set. */
  stack?: boolean
}

/** Returns the values to draw: the sums of stacked values. Gaps stay gaps. */
export function stacked<T extends number | null | undefined>(
  values: ArrayLike<T>[],
  lines: readonly Pick<Drawn, 'set' | 'stack'>[],
): ArrayLike<T>[] {
  const sums = new Map<number, number[]>()
  return values.map((of, i) => {
    const line = lines[i]
    if (!line.stack) return of
    const sum = sums.get(line.set) ?? Array<number>(of.length).fill(0)
    sums.set(line.set, sum)
    return Array.from(of, (v, at) => (v === null || v === undefined ? v : ((sum[at] += v) as T)))
  })
}

/**
 * `measured` has the data points of lines, and `names` the names of instances that the response
 * lacks.
 */
export function linesOf(
  series: Series,
  measured?: Map<string, Measured>,
  names?: ReadonlyMap<string, string>,
): Drawn[] {
  return series.sets.flatMap((s, set) =>
    s.lines.map((line) => ({
      ...line,
      set,
      ...(measured?.get(line.name) ?? { point: line.name, instance: s.name }),
      name: s.name ? `${names?.get(s.name) ?? s.name} ${line.name}` : line.name,
      key: `${s.name}\n${line.name}`,
    })),
  )
}

const colours = ['--accent', '--m-put', '--m-patch', '--info', '--m-post', '--text-2', '--sdt', '--error']
const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3]]

/** Returns the style of a line: the token of its color, and dashes when all colors are used. */
export function markOf(place: number): { token: string; dash: number[] } {
  return { token: colours[place % colours.length], dash: dashes[Math.floor(place / colours.length) % dashes.length] }
}

const together = 8

/**
 * Returns the lines to show at first: lines of similar magnitude, because a scale for bytes would
 * flatten percentages. It begins with a line that has a limit, or else the first that varies.
 */
export function shownAtFirst(lines: Drawn[], limited: Set<string>): string[] {
  const moving = lines.filter((l) => l.count > 0 && l.min !== l.max)
  const anchor =
    lines.find((l) => l.count > 0 && limited.has(l.point)) ?? moving[0] ?? lines.find((l) => l.count > 0) ?? lines[0]
  if (!anchor) return []
  const size = reach(anchor)
  const alike = lines.filter((l) => l === anchor || (l.count > 0 && reach(l) <= size * 10 && reach(l) >= size / 10))
  return alike.slice(0, Math.max(together, alike.indexOf(anchor) + 1)).map((l) => l.key)
}

function reach(line: Drawn): number {
  return Math.max(Math.abs(line.min ?? 0), Math.abs(line.max ?? 0)) || 1
}

/** Units whose large values get a prefix: 57.46 GB, not 57.46B bytes. */
const prefixed: Record<string, string> = { bytes: 'B', 'bytes/s': 'B/s', 'B/s': 'B/s', 'bit/s': 'bit/s' }
const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E']
const thousands = (n: number) =>
  Math.max(0, Math.min(prefixes.length - 1, Math.floor(Math.log10(Math.abs(n) || 1) / 3)))

/** Whether values of a unit are written with a prefix. */
export const isPrefixed = (unit: string) => unit in prefixed

/** Formats a value with its unit. */
export function shown(n: number | null | undefined, unit = ''): string {
  if (n === null || n === undefined) return text.lines.noData
  if (prefixed[unit]) {
    const by = thousands(n)
    return `${fourDigits(n / 1000 ** by)} ${prefixes[by]}${prefixed[unit]}`
  }
  const value = Math.abs(n) >= 1e6 ? compact(n) : fiveDigits(n)
  return unit ? `${value} ${unit}` : value
}

/** Formats a value for an axis whose unit is shown above it. */
export function tick(n: number, unit = ''): string {
  if (!prefixed[unit]) return Math.abs(n) >= 10_000 ? compact(n) : fiveDigits(n)
  const by = thousands(n)
  return `${fiveDigits(n / 1000 ** by)}${by ? ` ${prefixes[by]}` : ''}`
}

/** Returns the labels of a time axis: times, with the date below the first of each day. */
export function timeTicks(at: number[], step: number): string[] {
  let last = ''
  return at.map((t) => {
    const date = dayMonth(t)
    if (step >= 86_400_000) return date
    const time = step < 60_000 ? exactTime(t) : clock(t)
    const label = date === last ? time : `${time}\n${date}`
    last = date
    return label
  })
}

/**
 * Returns the first row from `top` on, each of `height`, in which a text fits between the existing
 * ones; the first row if there is none.
 */
export function freeRow(there: Label[], x: number, width: number, top: number, height: number, rows: number): number {
  const clear = (y: number) => there.every((t) => Math.abs(t.y - y) >= height || t.x >= x + width || t.x + t.width <= x)
  for (let row = 0; row < rows; row++) if (clear(top + row * height)) return top + row * height
  return top
}

/** Describes a chart in one sentence, for screen readers. */
export function summary(title: string, lines: Drawn[], unit: string): string {
  const parts = lines.map((l) => {
    if (!l.count) return text.lines.none(l.name)
    return text.lines.summary(l.name, shown(l.min, unit), shown(l.max, unit), shown(l.last, unit), l.gaps)
  })
  return `${title || text.lines.chart}. ${parts.join('; ')}`
}

/**
 * Reports whether a limit fits on the scale of some values. A limit more than so many times as far
 * from zero would flatten them; for percentages, and where all values are zero, all limits fit.
 */
export function isNear(limit: number, values: number[], unit: string, times = 4): boolean {
  const reach = Math.max(0, ...values.map(Math.abs))
  return unit === '%' || reach === 0 || Math.abs(limit) <= times * reach
}

/** Returns the minimum and the maximum of some values, including zero if it is near enough. Zero alone is 0 to 1. */
export function spanOf(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (low === 0 && high === 0) return [0, 1]
  return [low > 0 && low < high / 2 ? 0 : low, high < 0 && high > low / 2 ? 0 : high]
}
