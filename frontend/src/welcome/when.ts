import { day as date, time } from '../ui/locale'

/** How long ago, short: `12 min ago`, `Yesterday 17:40`, `3 Nov 2026`. Both in milliseconds. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const days = daysBetween(at, now)
  if (days === 0) return `${Math.floor(minutes / 60)} h ago`
  return days === 1 ? `Yesterday ${time(at)}` : date(at)
}

/** The heading over a day's entries. */
export function day(at: number, now: number): string {
  const days = daysBetween(at, now)
  if (days === 0) return 'Today'
  return days === 1 ? 'Yesterday' : date(at)
}

function daysBetween(at: number, now: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)
  return Math.round((midnight(now) - midnight(at)) / 86_400_000)
}
