/** Reads spans and times that are typed in the palette. */

const units: Record<string, number> = { m: 1, min: 1, h: 60, d: 1440, w: 10_080 }
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const longest = 525_600 // minutes of a year

/** Returns the minutes of `30m`, `2h`, `1d` or `1w`; undefined for any other word. */
export function minutesOf(word: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})(m|min|h|d|w)$/i.exec(word) ?? []
  const minutes = Number(count) * units[unit?.toLowerCase()]
  return minutes > 0 && minutes <= longest ? minutes : undefined
}

/** Splits a span off the end: `web-01 for 1h`. */
export function spanned(typed: string): { target: string; minutes: number | undefined } {
  const words = typed.split(/\s+/).filter(Boolean)
  const minutes = minutesOf(words.at(-1) ?? '')
  if (minutes === undefined) return { target: typed, minutes }
  words.pop()
  if (words.at(-1)?.toLowerCase() === 'for') words.pop()
  return { target: words.join(' '), minutes }
}

/**
 * Returns the time, in milliseconds, of `yesterday`, `today`, a day of the week, `14:30`, `2h`, `2h ago` or
 * `2026-11-20`; undefined for anything else.
 */
export function momentOf(typed: string, now: number): number | undefined {
  const text = typed.trim().toLowerCase()
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  const back = (n: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() - n).getTime()
  if (text === 'today') return back(0)
  if (text === 'yesterday') return back(1)
  const weekday = text.length < 3 ? -1 : days.findIndex((d) => d.startsWith(text))
  if (weekday >= 0) return back((day.getDay() - weekday + 7) % 7 || 7)
  const minutes = minutesOf(text.replace(/\s*ago$/, ''))
  if (minutes !== undefined) return now - minutes * 60_000
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hour) {
    const at = new Date(day).setHours(Number(hour), Number(minute))
    return at <= now ? at : at - 86_400_000
  }
  const [, y, m, d] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const date = y ? new Date(Number(y), Number(m) - 1, Number(d)) : undefined
  return date?.getMonth() === Number(m) - 1 ? date.getTime() : undefined
}
