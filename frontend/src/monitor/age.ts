/** Formats durations and times for quick reading. */
import { dayTime, exactMoment, time, zonedMoment } from '../ui/locale'
import { text } from './text'

const { units } = text

const minute = 60
const hour = 3600
const day = 86_400

/** Formats seconds in their two largest units: `27 s`, `41 min`, `1 h 12 min`, `3 d 4 h`. */
export function span(seconds: number): string {
  const s = Math.max(0, Math.round(seconds))
  if (s < minute) return `${s} ${units.s}`
  if (s < hour) return `${Math.floor(s / minute)} ${units.min}`
  const [large, small, of, rest] = s < day ? [units.h, units.min, hour, minute] : [units.d, units.h, day, hour]
  const [a, b] = [Math.floor(s / of), Math.floor((s % of) / rest)]
  return b && a < 10 ? `${a} ${large} ${b} ${small}` : `${a} ${large}`
}

/**
 * Returns the age of a time in epoch seconds at `now`, in milliseconds. The ages on a page change together, so that the
 * page is painted once for all: each ten seconds below a minute, and at each full minute above. Minutes are rounded.
 */
export function since(at: number, now: number): string {
  const fresh = Math.floor(now / 10_000) * 10 - at
  return span(fresh < minute ? fresh : Math.max(minute, (Math.floor(now / 60_000) + 0.5) * minute - at))
}

/** Formats an age in milliseconds: `3 min ago`, or `just now` within a minute, in which device states reload. */
export function ago(ms: number): string {
  return ms < 60_000 ? text.justNow : text.ago(span(ms / 1000))
}

/** Formats a time in epoch seconds: only the time on the day of `now`, otherwise with the date. */
export function moment(seconds: number, now = Date.now()): string {
  const at = new Date(seconds * 1000)
  return (at.toDateString() === new Date(now).toDateString() ? time : dayTime)(at)
}

/** Formats date and time to the second. */
export function exact(seconds: number): string {
  return exactMoment(seconds * 1000)
}

/** The same with the time zone, for tooltips. */
export function zoned(seconds: number): string {
  return zonedMoment(seconds * 1000)
}

/** Rewrites the UTC times in a message of the portal in the time zone of the user, which it names. */
export function inZone(message: string): string {
  return message.replace(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC\b/g, (text, day: string, clock: string) => {
    const at = Date.parse(`${day}T${clock}Z`)
    return Number.isNaN(at) ? text : zoned(at / 1000)
  })
}
