/** Moments that an axis of time tells: round ones on the clock here. All in seconds. */
const rounds = [300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800]

/** How far they are apart, so that a span has at most seven. */
export function roundStep(span: number): number {
  return rounds.find((step) => step * 7.5 >= span) ?? rounds.at(-1)!
}

/** All moments from one to another, each `apart` from the one before. */
export function momentsBetween(from: number, to: number, apart: number, zone = new Date(to * 1000).getTimezoneOffset() * 60): number[] {
  const first = Math.ceil((from - zone) / apart) * apart + zone
  return Array.from({ length: Math.max(0, Math.floor((to - first) / apart) + 1) }, (_, i) => first + i * apart)
}
