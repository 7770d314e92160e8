/** Converts epoch times: seconds or milliseconds, local times, and relative ones. */
import { exactMoment, inputMoment } from '../../ui/locale'
import type { Option } from './suggest'
import { text as words } from './text'

export type Unit = 'seconds' | 'milliseconds'

/** Returns the unit of a field with an epoch time; undefined for other fields. */
export function unitOf(format: string | undefined): Unit | undefined {
  return format === 'epoch-seconds' ? 'seconds' : format === 'epoch-milliseconds' ? 'milliseconds' : undefined
}

function dateOf(text: string, unit: Unit): Date | undefined {
  if (!/^-?\d{1,15}$/.test(text.trim())) return undefined
  const date = new Date(Number(text) * (unit === 'seconds' ? 1000 : 1))
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Formats an epoch: `20 Nov 2026, 15:03:41`; '' for any other text, and for 0. */
export function localOf(text: string, unit: Unit): string {
  const date = dateOf(text, unit)
  return date && date.getTime() !== 0 ? exactMoment(date) : ''
}

/** Converts an epoch for a datetime-local input; '' for any other text. */
export function toInput(text: string, unit: Unit): string {
  const date = dateOf(text, unit)
  if (!date || date.getFullYear() < 1 || date.getFullYear() > 9999) return ''
  return inputMoment(date)
}

/** Converts the value of a datetime-local input; '' if it is empty. */
export function fromInput(local: string, unit: Unit): string {
  const ms = local ? new Date(local).getTime() : NaN
  return Number.isNaN(ms) ? '' : String(unit === 'seconds' ? Math.floor(ms / 1000) : ms)
}

/**
 * Suggests times relative to the clock. {{$now}} is in seconds: three zeros after it make
 * milliseconds.
 */
export function relative(unit: Unit): Option[] {
  const zeros = unit === 'seconds' ? '' : '000'
  return (
    [
      ['$now', 'now'],
      ['$now-1h', words.moments.anHourAgo],
      ['$now-6h', words.moments.sixHoursAgo],
      ['$now-1d', words.moments.aDayAgo],
      ['$now-7d', words.moments.aWeekAgo],
      ['$now+1h', words.moments.inAnHour],
      ['$now+1d', words.moments.inADay],
    ] as const
  ).map(([name, detail]) => ({ label: `{{${name}}}${zeros}`, insert: `{{${name}}}${zeros}`, detail }))
}
