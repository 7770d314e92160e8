/** Severities: the numbers of the API, with their texts and icons. */
import { threeDigits, whole } from '../ui/locale'
import { text } from './text'

export type Level = 'crit' | 'error' | 'warn' | 'ok' | 'unknown'

export interface Severity {
  /** The number in an alert. */
  number: number
  level: Level
  /** The word in a device's alertStatus. */
  status: string
  word: string
}

/** The worst first. */
export const severities: readonly Severity[] = [
  { number: 4, level: 'crit', status: 'critical', word: text.severities.crit },
  { number: 3, level: 'error', status: 'error', word: text.severities.error },
  { number: 2, level: 'warn', status: 'warn', word: text.severities.warn },
]

const fine: Severity = { number: 0, level: 'ok', status: 'none', word: text.severities.ok }

/** Returns the severity of an alert's number; below 2 nothing is wrong. */
export function severityOf(number: number): Severity {
  return severities.find((s) => s.number === number) ?? fine
}

/** Returns the severity of a device's alertStatus, such as unconfirmed-critical-none. */
export function severityOfStatus(alertStatus: string): Severity {
  const status = alertStatus.split('-')[1]
  return severities.find((s) => s.status === status) ?? fine
}

/** Returns the condition of a device. One without data has no alert, but its health is unknown. */
export function severityOfDevice({
  alertStatus,
  lastDataTime,
}: {
  alertStatus: string
  lastDataTime: number
}): Severity {
  const severity = severityOfStatus(alertStatus)
  return severity === fine && !lastDataTime ? { ...fine, level: 'unknown', word: text.severities.unknown } : severity
}

export interface Threshold {
  op: string
  limit: number
}

/**
 * Returns the limit for a severity in `> 60 80 90` (warn, error, critical); the last one if there
 * are fewer.
 */
export function thresholdOf(expr: string, severity: number): Threshold | undefined {
  const match = /^\s*(>=|<=|!=|=|>|<)\s*(.+)$/.exec(expr)
  if (!match) return undefined
  const limits = match[2].trim().split(/\s+/).map(Number).filter(Number.isFinite)
  if (!limits.length) return undefined
  return { op: match[1], limit: limits[Math.max(0, Math.min(severity - 2, limits.length - 1))] }
}

/**
 * Formats a number with at most four significant digits and thousands separators: `912`, `98.2`,
 * `1,204`, `0.013`.
 */
export function number(value: number): string {
  return Math.abs(value) >= 1000 ? whole(value) : threeDigits(value)
}
