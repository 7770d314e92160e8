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
 * Returns the age of a time in epoch seconds at the last full ten seconds of `now`, in
 * milliseconds: the ages on a page change together, so that the page is not painted for each.
 */
export function since(at: number, now: number): string {
  return span(Math.floor(now / 10_000) * 10 - at)
}

/**
 * Formats an age in milliseconds: `40 s ago`, or `just now` within 20 seconds, the interval of
 * device states. It changes in steps, so that an idle page is not painted every second.
 */
export function ago(ms: number): string {
  const seconds = Math.floor(ms / 20_000) * 20
  return seconds < 20 ? text.justNow : text.ago(span(seconds))
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
