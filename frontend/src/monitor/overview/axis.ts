import { dayMonth, time } from '../../ui/locale'

/** Returns the labels of a time axis: round local times. All in seconds. */
const rounds = [300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800]

/** How far they are apart, so that a span has at most seven. */
export function roundStep(span: number): number {
  return rounds.find((step) => step * 7.5 >= span) ?? rounds.at(-1)!
}

/** What a moment on the axis is called: its day at midnight, so that the others need none. */
export function momentOn(seconds: number): string {
  const at = new Date(seconds * 1000)
  return at.getHours() || at.getMinutes() ? time(at) : dayMonth(at)
}

/** All moments from one to another, each `apart` from the one before. */
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
 * The words of an axis and where their middles are, in pixels: within 0 and `end`, and none that would touch the one
 * before.
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
    const half = text.length * 3.7 // of 12 px type at its widest, as `02:00 AM` is
    const x = Math.max(half, at(m))
    if (x - half < free || x + half > end) return []
    free = x + half + 4
    return [{ text, x }]
  })
}
