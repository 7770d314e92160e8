import { dayMonth, time } from '../../ui/locale'

/** Returns the labels of a time axis: round local times. All in seconds. */
const rounds = [300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800]

/** Returns the distance of the labels, so that a span has at most seven. */
export function roundStep(span: number): number {
  return rounds.find((step) => step * 7.5 >= span) ?? rounds.at(-1)!
}

/**
 * Returns the label of a time on the axis: the date at midnight, so that the other labels need
 * none.
 */
export function momentOn(seconds: number): string {
  const at = new Date(seconds * 1000)
  return at.getHours() || at.getMinutes() ? time(at) : dayMonth(at)
}

/** Returns all times in a range, each `apart` from the previous one. */
export function momentsBetween(
  from: number,
  to: number,
  apart: number,
  zone = new Date(to * 1000).getTimezoneOffset() * 60,
): number[] {
  const first = Math.ceil((from - zone) / apart) * apart + zone
  return Array.from({ length: Math.max(0, Math.floor((to - first) / apart) + 1) }, (_, i) => first + i * apart)
}

/**
 * Returns the labels of an axis and their centers in pixels: within 0 and `end`, without labels
 * that would touch the previous one.
 */
export function wordsAlong(
  moments: number[],
  at: (moment: number) => number,
  word: (moment: number) => string,
  end: number,
): { text: string; x: number }[] {
  let free = 0
  return moments.flatMap((m) => {
    const text = word(m)
    const half = text.length * 3.7 // of 12 px text at its widest, such as `02:00 AM`
    const x = Math.max(half, at(m))
    if (x - half < free || x + half > end) return []
    free = x + half + 4
    return [{ text, x }]
  })
}
