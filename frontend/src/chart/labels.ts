/**
 * Places the names of limits in a chart so that no line or other limit crosses them. In pixels; y
 * is the lower end of a text.
 */

export interface Label {
  x: number
  y: number
  width: number
}

/** The vertical extent of the lines, in columns from `left` on. */
export interface Traces {
  left: number
  column: number
  /** For each column the [upper, lower] ends of the lines in it. */
  passed: [number, number][][]
}

/** Each line is a list of points in order; undefined is a gap. */
export function tracesOf(
  lines: readonly (readonly ({ x: number; y: number } | undefined)[])[],
  left: number,
  width: number,
  column: number,
): Traces {
  const passed: [number, number][][] = Array.from({ length: Math.max(0, Math.ceil(width / column)) }, () => [])
  for (const points of lines) {
    points.forEach((a, i) => {
      const b = a && (points[i + 1] ?? a)
      if (!a || !b) return
      const height = (x: number) =>
        b.x > a.x ? a.y + ((b.y - a.y) * (Math.max(a.x, Math.min(b.x, x)) - a.x)) / (b.x - a.x) : b.y
      const last = Math.min(passed.length - 1, Math.floor((b.x - left) / column))
      for (let at = Math.max(0, Math.floor((a.x - left) / column)); at <= last; at++) {
        const ends = [height(left + at * column), height(left + (at + 1) * column)]
        passed[at].push([Math.min(...ends), Math.max(...ends)])
      }
    })
  }
  return { left, column, passed }
}

/**
 * Returns the position for a text of a given size: the leftmost free one in the first row with
 * room; undefined if there is none. `rules` are the heights of all limits, and `there` the placed
 * texts.
 */
export function freeSpot(
  rows: readonly number[],
  { width, height }: { width: number; height: number },
  traces: Traces,
  rules: readonly number[],
  there: readonly Label[],
): Label | undefined {
  const { left, column, passed } = traces
  for (const y of rows) {
    if (rules.some((rule) => rule > y - height && rule < y)) continue
    for (let at = 0; left + at * column + width <= left + passed.length * column; at++) {
      const x = left + 4 + at * column
      const across = passed.slice(at, at + Math.ceil((width + 4) / column))
      if (across.some((all) => all.some(([upper, lower]) => lower > y - height && upper < y))) continue
      if (there.some((t) => Math.abs(t.y - y) < height && t.x < x + width + 12 && x < t.x + t.width + 12)) continue
      return { x, y, width }
    }
  }
  return undefined
}

/**
 * Groups limits whose lines are too close for a name each, from top to bottom: one text then names all of a group.
 */
export function bundled<T extends { y: number }>(limits: readonly T[], height: number): T[][] {
  const groups: T[][] = []
  for (const limit of [...limits].sort((a, b) => a.y - b.y)) {
    const last = groups.at(-1)
    if (last && limit.y - last[last.length - 1].y < height) last.push(limit)
    else groups.push([limit])
  }
  return groups
}
