/** Graphs of a device as lines of a chart: moments, what they are compared with, and limits. */
import type { Limit } from '../../response/chart/limits'
import type { Drawn } from '../../response/chart/lines'
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

/** What a graph answers, as far as it is drawn. */
export interface Graph {
  title: string
  verticalLabel: string
  timestamps: number[]
  lines: { legend: string; type?: string; data: (number | null)[] }[]
}

/** One set of lines: `of` tells it from the first, `shift` puts another period below this one. */
export interface Part {
  graph: Graph
  of?: string
  shift?: number
}

export function timesOf(parts: readonly Part[]): number[][] {
  return parts.map((p) => p.graph.timestamps.map((t) => t + (p.shift ?? 0)))
}

export function drawnOf(parts: readonly Part[]): Drawn[] {
  return parts.flatMap((part, set) => part.graph.lines.map((line): Drawn => {
    const known = line.data.filter((v): v is number => v !== null)
    const name = part.of ? `${line.legend}, ${part.of}` : line.legend
    return {
      key: `${set} ${line.legend}`, set, stack: line.type === 'stack', point: line.legend, instance: '', name, values: line.data,
      min: known.length ? Math.min(...known) : null, max: known.length ? Math.max(...known) : null, last: known.at(-1) ?? null, count: known.length, gaps: 0,
    }
  }))
}

/** Which mark each line has: what is compared has the colours of the first set, and dashes of its own. */
export function placesOf(lines: readonly Drawn[]): number[] {
  const first = lines.filter((l) => l.set === 0)
  return lines.map((l) => Math.max(0, first.findIndex((f) => f.point === l.point)) % colours + l.set * colours)
}
const colours = 8 // of markOf

/** Limits that can stand on the scale of the lines without flattening them, and those that cannot. */
export function reachable(limits: readonly Limit[], lines: readonly Drawn[]): { near: Limit[]; far: Limit[] } {
  const most = Math.max(0, ...lines.flatMap((l) => [Math.abs(l.min ?? 0), Math.abs(l.max ?? 0)]))
  const near = (l: Limit) => Math.abs(l.value) <= Math.max(most * 8, 1)
  return { near: limits.filter(near), far: limits.filter((l) => !near(l)) }
}

/** Of several moments the place of the nearest that has a value at or before it, for the readout. */
export function valueAt(values: readonly (number | null | undefined)[] | undefined, index: number): number | null {
  for (let i = Math.min(index, (values?.length ?? 0) - 1); i >= 0 && i > index - 3; i--) if (values![i] != null) return values![i]!
  return null
}
