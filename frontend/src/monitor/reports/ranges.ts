import { text } from './text'

/** The periods of reports, in the form that the portal parses. */
export const ranges: { value: string; text: string }[] = Object.entries(text.ranges).map(([value, label]) => ({
  value,
  text: label,
}))

const span = /^(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?)\s+to\s+(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?)$/i

/** Returns the first and last day of a custom period. */
export function endsOf(range: string): { from: string; to: string } | undefined {
  const match = span.exec(range.trim())
  return match ? { from: match[1].slice(0, 10), to: match[2].slice(0, 10) } : undefined
}

/** Returns a period from one day to the end of another. */
export function rangeOf(from: string, to: string): string {
  return `${from} TO ${to}`
}

export function rangeText(range: string): string {
  const ends = endsOf(range)
  if (ends) return ends.from === ends.to ? ends.from : text.range.both(ends.from, ends.to)
  return (
    ranges.find((r) => r.value.toLowerCase() === range.trim().toLowerCase())?.text ??
    (range || text.ranges['Last 24 hours'])
  )
}
