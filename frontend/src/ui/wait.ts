import { text } from './text'

const { s, min, h } = text.units

/**
 * Formats a waiting time in seconds, rounded up: `90 s`, `12 min 5 s`, `1 h 5 min`. Up to two
 * minutes it is in seconds.
 */
export function wait(seconds: number): string {
  const left = Math.ceil(seconds)
  if (left <= 120) return `${left} ${s}`
  const [all, large, small] = left < 3600 ? [left, min, s] : [Math.ceil(left / 60), h, min]
  return [`${Math.floor(all / 60)} ${large}`, ...(all % 60 ? [`${all % 60} ${small}`] : [])].join(' ')
}
