/** Converts graphs of a device to lines of a chart: times, comparisons, and limits. */
import { applies, type Limit } from '../../chart/limits'
import type { Drawn } from '../../chart/lines'
import { text } from './text'

export interface Range {
  /** Epoch milliseconds. */
  from: number
  to: number
}

const hour = 3_600_000
export const ranges = [
  { id: '1h', name: text.charts.ranges['1h'][0], long: text.charts.ranges['1h'][1], ms: hour },
  { id: '6h', name: text.charts.ranges['6h'][0], long: text.charts.ranges['6h'][1], ms: 6 * hour },
  { id: '24h', name: text.charts.ranges['24h'][0], long: text.charts.ranges['24h'][1], ms: 24 * hour },
  { id: '7d', name: text.charts.ranges['7d'][0], long: text.charts.ranges['7d'][1], ms: 7 * 24 * hour },
  { id: '30d', name: text.charts.ranges['30d'][0], long: text.charts.ranges['30d'][1], ms: 30 * 24 * hour },
] as const

/** Returns the id of the shortest range that covers a number of seconds; at most a day. */
export function rangeAround(seconds: number): string {
  return (ranges.find((r) => r.ms >= 1000 * seconds && r.ms <= 24 * hour) ?? ranges[2]).id
}

/** Returns the range moved by half of its length, earlier (-1) or later (1), never into the future. */
export function shifted({ from, to }: Range, way: -1 | 1, now: number): Range {
  const by = Math.min(Math.round((way * (to - from)) / 2), now - to)
  return { from: from + by, to: to + by }
}

/** Returns a range of twice the length around the same center, never into the future. */
export function farther({ from, to }: Range, now: number): Range {
  const [middle, width] = [(from + to) / 2, Math.min(2 * (to - from), ranges[ranges.length - 1].ms)]
  const end = Math.min(now, Math.round(middle + width / 2))
  return { from: end - width, to: end }
}

/** An instance of a data source on a device, whose lines are drawn. */
export interface Subject {
  device: number
  /** The association of the data source with that device. */
  source: number
  instance: number
  name: string
}

/**
 * Milliseconds between two refreshes of several lines, which need many calls; half a step of a
 * graph is not visible.
 */
export const between = (range: number, lines: number) => (lines < 2 ? 0 : Math.min(60_000, range / 600))

/** The fields of a graph's response that are drawn. */
export interface Graph {
  title: string
  verticalLabel: string
  timestamps: number[]
  lines: GraphLine[]
}

interface GraphLine {
  legend: string
  type?: string
  data: (number | null)[]
  /** The extremes of each step; none for computed lines. */
  lows?: (number | null)[]
  highs?: (number | null)[]
}

/**
 * Returns the values to draw: the mean of each step, or where a step goes beyond a limit, its extreme. Only the
 * extreme shows what opened an alert.
 */
export function extremesOf({ data, lows, highs }: GraphLine, limits: readonly Limit[]): (number | null)[] {
  const above = Math.min(...limits.filter((l) => l.op.startsWith('>')).map((l) => l.value))
  const below = Math.max(...limits.filter((l) => l.op.startsWith('<')).map((l) => l.value))
  return data.map((mean, i) => {
    const [low, high] = [lows?.[i] ?? mean, highs?.[i] ?? mean]
    if (mean === null || low === null || high === null) return mean
    return high >= above ? high : low <= below ? low : mean
  })
}

/** Returns the id of the default range for a device. A new device gets a range that its data covers. */
export const rangeSince = (added: number, now: number) => rangeAround(Math.min((now - added) / 1000, 24 * 3600))

/**
 * One set of lines: those of an instance; `at` is its index among the compared ones; `shift` draws
 * another period below this one.
 */
export interface Part {
  graph: Graph
  instance: number
  at: number
  of?: string
  shift?: number
}

export function timesOf(parts: readonly Part[]): number[][] {
  return parts.map((p) => p.graph.timestamps.map((t) => t + (p.shift ?? 0)))
}

/**
 * `compared`: lines are named after their objects, because all lines in a chart show one data
 * point. Beyond the limits, lines show extremes.
 */
export function drawnOf(parts: readonly Part[], compared = false, limits: readonly Limit[] = []): Drawn[] {
  return parts.flatMap((part, set) =>
    part.graph.lines.map((line): Drawn => {
      const stack = !compared && line.type === 'stack'
      const instance = String(part.instance)
      const own = stack ? [] : limits.filter((l) => applies(l, { point: line.legend, instance }))
      const values = extremesOf(line, own)
      const known = values.filter((v): v is number => v !== null)
      const name = compared ? (part.of ?? '') : part.of ? `${line.legend}, ${part.of}` : line.legend
      return {
        key: `${set} ${line.legend}`,
        set,
        stack,
        point: line.legend,
        instance,
        name,
        values,
        min: known.length ? Math.min(...known) : null,
        max: known.length ? Math.max(...known) : null,
        last: known.at(-1) ?? null,
        count: known.length,
        gaps: 0,
      }
    }),
  )
}

/**
 * Returns the lines of each chart of a graph: when several objects are compared, one chart for each
 * line of the graph.
 */
export function chartsOf(title: string, lines: Drawn[], compared: boolean): { title: string; lines: Drawn[] }[] {
  const points = compared ? [...new Set(lines.map((l) => l.point))] : []
  if (points.length < 2) return [{ title, lines }]
  return points.map((point) => ({
    title: text.charts.line(title, point),
    lines: lines.filter((l) => l.point === point),
  }))
}

/**
 * Returns the mark of each line. The previous period has the same colors with dashes; each compared
 * object has its own color and dashes.
 */
export function placesOf(lines: readonly Drawn[], parts: readonly Part[], compared = false): number[] {
  const first = lines.filter((l) => l.set === 0)
  return lines.map((l) => {
    const { at, shift } = parts[l.set]
    const beside = shift ? colours : 0
    return (
      beside +
      (compared
        ? placeOf(at)
        : Math.max(
            0,
            first.findIndex((f) => f.point === l.point),
          ) % colours)
    )
  })
}
const colours = 8 // number of colors in markOf

/**
 * Returns the mark of a compared object; the fifth has other dashes, because its green is similar
 * to the first color.
 */
export const placeOf = (at: number) => at + colours * ((at + Math.floor(at / 4)) % 4)

/**
 * When more than two lines are compared, merges a limit that several have, and names them or their
 * number.
 */
export function once(limits: readonly Limit[], lines: number, names: ReadonlyMap<string, string>): readonly Limit[] {
  if (lines < 3) return limits
  const having = new Map<string, Limit[]>()
  for (const limit of limits) {
    const key = `${limit.of === undefined} ${limit.point} ${limit.op} ${limit.value} ${limit.severity}`
    having.set(key, [...(having.get(key) ?? []), limit])
  }
  return [...having.values()].map(([limit, ...more]) =>
    more.length
      ? {
          ...limit,
          of:
            more.length > 1
              ? text.charts.with.some(more.length + 1, lines)
              : [limit, ...more].map((l) => names.get(l.of!)).join(', '),
        }
      : limit,
  )
}

/** How many times as far from zero as the values of a chart a threshold can be adjusted on it. */
export const reach = 8

/** Splits limits into those that fit on the scale of the lines, and those that would flatten them. */
export function reachable(limits: readonly Limit[], lines: readonly Drawn[]): { near: Limit[]; far: Limit[] } {
  const most = Math.max(0, ...lines.flatMap((l) => [Math.abs(l.min ?? 0), Math.abs(l.max ?? 0)]))
  const near = (l: Limit) => Math.abs(l.value) <= Math.max(most * reach, 1)
  return { near: limits.filter(near), far: limits.filter((l) => !near(l)) }
}

/** Returns the index of the nearest time with a value at or before a time, for the readout. */
export function valueAt(values: readonly (number | null | undefined)[] | undefined, index: number): number | null {
  for (let i = Math.min(index, (values?.length ?? 0) - 1); i >= 0 && i > index - 3; i--)
    if (values![i] != null) return values![i]!
  return null
}
