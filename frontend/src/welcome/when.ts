const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** How long ago, short: `12 min ago`, `Yesterday 17:40`, `3 Nov 2026`. Both in milliseconds. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const days = daysBetween(at, now)
  if (days === 0) return `${Math.floor(minutes / 60)} h ago`
  return days === 1 ? `Yesterday ${time.format(at)}` : date.format(at)
}

/** The time of day: `15:31`. */
export function clock(at: number): string {
  return time.format(at)
}

/** The heading over a day's entries. */
export function day(at: number, now: number): string {
  const days = daysBetween(at, now)
  if (days === 0) return 'Today'
  return days === 1 ? 'Yesterday' : date.format(at)
}

function daysBetween(at: number, now: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)
  return Math.round((midnight(now) - midnight(at)) / 86_400_000)
}
