/**
 * Thresholds in the form of the API, `> 60 80 90`, and in the form for users: an operator, and a
 * limit for each severity.
 */

export const operators = ['>', '>=', '<', '<=', '=', '!='] as const

export interface Limits {
  op: string
  /** For warning, error and critical, as typed; '' for none. */
  words: [string, string, string]
}

/**
 * Parses a threshold. A limit equal to that of the next severity is omitted, because it never applies: `< 1 1 1` means
 * only that 0 is critical. `write` formats a number.
 */
export function limitsOf(expr: string, write = (word: string) => word): Limits {
  const match = /^\s*(>=|<=|!=|=|>|<)\s*(.*)$/.exec(expr)
  if (!match) return { op: '>', words: ['', '', ''] }
  const all = match[2].trim().split(/\s+/).filter(Boolean)
  const word = (i: number) => (all[i] !== undefined && all[i] !== all[i + 1] ? write(all[i]) : '')
  return { op: match[1], words: [word(0), word(1), word(2)] }
}

/** Formats a threshold for the API: a severity without a limit gets the next one's. `read` parses a typed number. */
export function exprOf({ op, words }: Limits, read = (word: string) => word): string {
  const typed = words.map((w) => read(w.trim()))
  const last = typed.findLastIndex((w) => w !== '')
  if (last < 0) return ''
  const filled = typed.slice(0, last + 1)
  for (let i = last - 1; i >= 0; i--) filled[i] ||= filled[i + 1]
  return [op, ...filled].join(' ')
}

const reached: Record<string, (value: number, limit: number) => boolean> = {
  '>': (v, l) => v > l,
  '>=': (v, l) => v >= l,
  '<': (v, l) => v < l,
  '<=': (v, l) => v <= l,
  '=': (v, l) => v === l,
  '!=': (v, l) => v !== l,
}

/** Returns the severity of a value according to the portal's rules: 0, or 2 to 4. */
export function severityBy(expr: string, value: number): number {
  const { op, words } = limitsOf(expr)
  const at = words.findLastIndex((w) => w !== '' && Number.isFinite(Number(w)) && reached[op](value, Number(w)))
  return at < 0 ? 0 : at + 2
}
