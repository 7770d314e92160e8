/** Suggestions for a text field at the caret. */
import type { Method } from '../../client'

export interface Option {
  /** The shown text. */
  label: string
  /** The text to insert. */
  insert: string
  /** Shown beside the label in a faint color. */
  detail?: string
  /** At the end of the line: a state, a unit. */
  note?: string
  /** Whether it is in the list already, for comma-separated lists. */
  checked?: boolean
  /** Shown before the label of an endpoint. */
  method?: Method
}

export interface Offer {
  /** The accessible name of the list. */
  label: string
  /** The range to replace: text[from..to). */
  from: number
  to: number
  options: Option[]
  /** Enter selects the first option by default, because the input is the beginning of one. */
  first?: boolean
  /** Stays open after a selection. */
  multi?: boolean
  /** Why there are no options. */
  problem?: string
}

/** Returns undefined if there are no suggestions; a promise is ignored when the signal aborts. */
export type Suggest = (
  text: string,
  caret: number,
  signal: AbortSignal,
) => Offer | undefined | Promise<Offer | undefined>

/**
 * Returns the options whose label or detail contains the typed words, those that begin with them
 * first.
 */
export function matching(options: Option[], typed: string, most = 50): Option[] {
  const words = typed.trim().toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return options.slice(0, most)
  const text = (o: Option) => `${o.label} ${o.detail ?? ''}`.toLowerCase()
  const found = options.filter((o) => words.every((w) => text(o).includes(w)))
  const first = (o: Option) => (o.label.toLowerCase().startsWith(words[0]) ? 0 : 1)
  return found.sort((a, b) => first(a) - first(b)).slice(0, most)
}

/** Offers the same options at any caret position, and replaces the whole field. */
export function choices(label: string, options: Option[]): (text: string) => Offer {
  return (text) => {
    const exact = options.some((o) => o.insert === text)
    return { label, from: 0, to: text.length, options: matching(options, exact ? '' : text) }
  }
}

/** Returns the range of the part of a comma-separated list at the caret. */
export function partAt(text: string, caret: number): { from: number; to: number } {
  const end = text.indexOf(',', caret)
  return { from: text.lastIndexOf(',', caret - 1) + 1, to: end < 0 ? text.length : end }
}

/**
 * Suggests options for one part of a comma-separated list. With `checks`, a selected option is
 * added or removed.
 */
export function listed(label: string, options: Option[], checks: boolean): Suggest {
  return (text, caret) => {
    const { from, to } = partAt(text, caret)
    const parts = text.split(',').map((p) => p.trim())
    const typed = text.slice(from, to).trim()
    const exact = options.some((o) => o.insert === typed)
    if (!checks) return { label, from, to, options: matching(options, exact ? '' : typed) }
    const offered = matching(options, exact ? '' : typed)
    return {
      label,
      from: 0,
      to: text.length,
      multi: true,
      options: offered.map((o) => {
        const checked = parts.includes(o.insert)
        const kept = parts.filter((p) => p !== '' && p !== o.insert && (exact || p !== typed))
        return { ...o, checked, insert: checked ? kept.join(',') : [...kept, o.insert].join(',') }
      }),
    }
  }
}
