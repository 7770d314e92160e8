/** Durations and moments as people read them at a glance. */
import { dayTime, exactMoment, time, zonedMoment } from '../ui/locale'
import { text } from './text'

const { units } = text

const minute = 60
const hour = 3600
const day = 86_400

/** `27 s`, `41 min`, `1 h 12 min`, `3 d 4 h`: the two largest units, of seconds. */
export function span(seconds: number): string {
  const s = Math.max(0, Math.round(seconds))
  if (s < minute) return `${s} ${units.s}`
  if (s < hour) return `${Math.floor(s / minute)} ${units.min}`
  const [large, small, of, rest] = s < day ? [units.h, units.min, hour, minute] : [units.d, units.h, day, hour]
  const [a, b] = [Math.floor(s / of), Math.floor((s % of) / rest)]
  return b && a < 10 ? `${a} ${large} ${b} ${small}` : `${a} ${large}`
}

/**
 * How long ago a moment in epoch seconds was at the last full ten seconds of
 * `now`, in milliseconds: the ages on a page change together, so that it is not
 * painted for each.
 */
export function since(at: number, now: number): string {
  return span(Math.floor(now / 10_000) * 10 - at)
}

/**
 * `40 s ago`, of milliseconds; `just now` within 20 seconds, the interval of device states. In steps, so that an idle
 * page is not painted each second.
 */
export function ago(ms: number): string {
  const seconds = Math.floor(ms / 20_000) * 20
  return seconds < 20 ? text.justNow : text.ago(span(seconds))
}

/** A moment in epoch seconds: the time alone on the day of `now`, with the date otherwise. */
export function moment(seconds: number, now = Date.now()): string {
  const at = new Date(seconds * 1000)
  return (at.toDateString() === new Date(now).toDateString() ? time : dayTime)(at)
}

/** Date and time to the second. */
export function exact(seconds: number): string {
  return exactMoment(seconds * 1000)
}

/** The same with its time zone, for titles. */
export function zoned(seconds: number): string {
  return zonedMoment(seconds * 1000)
}
