import { day as date, time } from '../ui/locale'
import { text } from './text'

/** Formats an age: `12 min ago`, `Yesterday 17:40`, `3 Nov 2026`. Both times are in milliseconds. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return text.ago.now
  if (minutes < 60) return text.ago.minutes(minutes)
  const days = daysBetween(at, now)
  if (days === 0) return text.ago.hours(Math.floor(minutes / 60))
  return days === 1 ? text.ago.yesterdayAt(time(at)) : date(at)
}

/** Returns the heading for the entries of a day. */
export function day(at: number, now: number): string {
  const days = daysBetween(at, now)
  if (days === 0) return text.ago.today
  return days === 1 ? text.ago.yesterday : date(at)
}

function daysBetween(at: number, now: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)
  return Math.round((midnight(now) - midnight(at)) / 86_400_000)
}
