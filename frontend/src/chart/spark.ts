/** The path of a sparkline, in a box of `width` × `height`. */
import { spanOf } from './lines'

export const box = { width: 100, height: 16 }
/** Room above and below, for the width of the line. */
const edge = 1.5
/** The smallest span, as a share of the largest value: noise is drawn flat. */
const least = 0.5

/** Returns the path of values at equal distances: null is a gap, and a single value a dot. */
export function pathOf(values: readonly (number | null)[]): string {
  const seen = values.filter((v) => v !== null)
  if (!seen.length) return ''
  const [low, high] = widened(spanOf(seen))
  const x = (i: number) => round((i / Math.max(1, values.length - 1)) * box.width)
  const y = (v: number) => round(box.height - edge - ((v - low) / (high - low)) * (box.height - 2 * edge))
  let path = ''
  values.forEach((v, i) => {
    if (v === null) return
    const begins = i === 0 || values[i - 1] === null
    const alone = begins && (i + 1 === values.length || values[i + 1] === null)
    path += `${begins ? 'M' : 'L'}${x(i)} ${y(v)}${alone ? 'h0' : ''}`
  })
  return path
}

function widened([low, high]: readonly [number, number]): [number, number] {
  const missing = Math.max(Math.abs(low), Math.abs(high)) * least - (high - low)
  return missing > 0 ? [low - missing / 2, high + missing / 2] : [low, high]
}

const round = (n: number) => Math.round(n * 10) / 10
