/** How bad things are: the numbers of the API, and what stands for them here. */
import { threeDigits, whole } from '../ui/locale'

export type Level = 'crit' | 'error' | 'warn' | 'ok'

export interface Severity {
  /** Of an alert. */
  number: number
  level: Level
  word: string
}

/** The worst first. */
export const severities: readonly Severity[] = [
  { number: 4, level: 'crit', word: 'Critical' },
  { number: 3, level: 'error', word: 'Error' },
  { number: 2, level: 'warn', word: 'Warning' },
]

const fine: Severity = { number: 0, level: 'ok', word: 'OK' }

/** Of an alert's severity; below 2 nothing is wrong. */
export function severityOf(number: number): Severity {
  return severities.find((s) => s.number === number) ?? fine
}

/** Of a device's alertStatus, such as unconfirmed-critical-none. */
export function severityOfStatus(alertStatus: string): Severity {
  const word = alertStatus.split('-')[1]
  return severities.find((s) => s.word.toLowerCase() === word || (s.level === 'warn' && word === 'warn')) ?? fine
}

export interface Threshold {
  op: string
  limit: number
}

/** The limit that an alert of a severity is beyond, of `> 60 80 90` (warn, error, critical); the last where there are fewer. */
export function thresholdOf(expr: string, severity: number): Threshold | undefined {
  const match = /^\s*(>=|<=|!=|=|>|<)\s*(.+)$/.exec(expr)
  if (!match) return undefined
  const limits = match[2].trim().split(/\s+/).map(Number).filter(Number.isFinite)
  if (!limits.length) return undefined
  return { op: match[1], limit: limits[Math.max(0, Math.min(severity - 2, limits.length - 1))] }
}

/** At most four digits that count, thousands apart: `912`, `98.2`, `1,204`, `0.013`. */
export function number(value: number): string {
  return Math.abs(value) >= 1000 ? whole(value) : threeDigits(value)
}
