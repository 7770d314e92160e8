import type { App } from '../state/app.svelte'
import type { Method } from '../client'
import type { IconName } from '../ui/icons'
import { begins, rank, type Ranked } from '../ui/fuzzy'

/** One thing the palette can do. */
export interface Entry {
  id: string
  /** What is shown and searched first. */
  text: string
  /** Shown behind it, faint, and searched last. */
  hint: string
  /** Found by these too, but not shown. */
  words: string
  key: string
  icon?: IconName
  method?: Method
  run: () => void
  /** Ctrl+Enter; the same as run if there is none. */
  runInTab?: () => void
}

/** Where entries come from: what is at hand, or what is asked for while typing. */
export interface Source {
  /** The heading. */
  group: string
  /** Signs that a query may begin with to look in here: `>` commands, `/` endpoints, `#` places. */
  signs: string
  /** How many are shown while searching, and before anything is typed. */
  most: number
  first: number
  /** All there are; they are ranked by what is typed. */
  list?(app: App): Entry[]
  /** An answer with so many entries may not be all there are. */
  cut?: number
  /** Asks for those that match; given up when something else is typed. */
  ask?(app: App, query: string, signal: AbortSignal): Promise<Entry[]>
}

/** A source with its entries that match, and how many there are in all, as far as that is known. */
export interface Section {
  group: string
  entries: Ranked<Entry>[]
  total: number
}

export interface Query {
  /** The sign it begins with, '' for none. A slash is part of the text. */
  sign: string
  text: string
  /** Nothing to search for. */
  bare: boolean
}

export function parseQuery(query: string): Query {
  const sign = /^[>/#]/.exec(query.trimStart())?.[0] ?? ''
  const text = query
    .trimStart()
    .slice(sign === '/' ? 0 : sign.length)
    .trim()
  return { sign, text, bare: text === '' || text === '/' }
}

export function looksInto(source: Source, query: Query): boolean {
  return !query.sign || source.signs.includes(query.sign)
}

const alike = 20 // points between matches that are as good for a person

/**
 * What a query finds of what is at hand, the source with the best match first; those that are as good keep their
 * order.
 */
export function search(
  sources: readonly Source[],
  entriesOf: (s: Source) => readonly Entry[],
  query: Query,
): Section[] {
  const sections = sources
    .filter((s) => looksInto(s, query))
    .map((s) => section(s, entriesOf(s), query))
    .filter((s) => s.entries.length > 0)
  const best = (s: Section) => Math.floor(s.entries[0].score) // how long a text is decides within a source only
  const least = Math.max(...sections.map(best)) - alike
  const rate = (s: Section) => (best(s) > least ? Infinity : best(s))
  return query.bare ? sections : sections.sort((a, b) => (rate(a) === rate(b) ? 0 : rate(b) - rate(a)))
}

/**
 * Whether its best entry is called what is typed: words that only some letters or other words for it match are not
 * more than its name.
 */
export function named(section: Section, query: Query): boolean {
  return query.bare || section.entries[0].score >= begins + 50 * (query.text.split(/\s+/).length - 1)
}

export function section(source: Source, entries: readonly Entry[], query: Query): Section {
  const found = rank(query.bare ? '' : query.text, entries, (e) => [e.text, e.words, e.hint])
  const few = query.sign ? 200 : query.bare ? source.first : source.most
  return { group: source.group, entries: found.slice(0, few), total: found.length }
}

/** What was asked for with this very query: all of it, marked where the letters are at hand. */
export function asked(source: Source, entries: readonly Entry[], query: Query): Section {
  const known = new Map(
    section({ ...source, most: Infinity, first: Infinity }, entries, query).entries.map((r) => [r.item.id, r]),
  )
  const all = entries.map((item) => known.get(item.id) ?? { item, score: 0, marks: [] })
  const few = all.slice(0, query.sign ? 200 : query.bare ? source.first : source.most)
  return { group: source.group, entries: few, total: all.length < (source.cut ?? Infinity) ? all.length : few.length }
}
