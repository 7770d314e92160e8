import type { App } from '../state/app.svelte'
import type { Method } from '../client'
import type { IconName } from '../ui/icons'
import { begins, prepare, rank, type Ranked, type Text } from '../ui/fuzzy'

/** The levels of severity: the names of icons and colors. */
export type Level = 'crit' | 'error' | 'warn' | 'ok'

/** An entry of the palette. */
export interface Entry {
  id: string
  /** The text, which is searched first. */
  text: string
  /** Shown after the text in a faint color, and searched last. */
  hint: string
  /** Search words that are not shown. */
  words: string
  key: string
  icon?: IconName
  /** The condition of an object of the portal. */
  level?: Level
  method?: Method
  run: () => unknown
  /** Ctrl+Enter; the same as run if there is none. */
  runInTab?: () => void
  /** Selecting it types this instead of running it. */
  fill?: string
  /** The confirmation before it runs. */
  confirm?: string
  /** It only explains something, or the user may not run it. */
  idle?: boolean
}

/** A source of entries: local ones, or ones requested while typing. */
export interface Source {
  /** The heading. */
  group: string
  /** Its place among the sources: the lowest is shown first. */
  order: number
  /** Prefixes of a query that search only this source: `>` commands, `/` endpoints, `#` tabs, `@` objects. */
  prefixes: string
  /** The number of entries to show while searching, and before. */
  most: number
  first: number
  /** Returns all entries, which are ranked by the query. */
  list?(app: App): Entry[]
  /** A response with this number of entries may be incomplete. */
  cut?: number
  /** Its responses belong to one query exactly, and are not shown for another. */
  exact?: boolean
  /** Returns or requests matching entries; aborted when the query changes. */
  find?(app: App, query: string, signal: AbortSignal): Entry[] | Promise<Entry[]>
}

/** A source with its matching entries, and their total number if known. */
export interface Section {
  group: string
  entries: Ranked<Entry>[]
  total: number
}

export interface Query {
  /** The prefix of the query, '' for none. A slash is part of the text. */
  prefix: string
  text: string
  /** The query has no text. */
  bare: boolean
}

export function parseQuery(query: string): Query {
  const prefix = /^[>/#@]/.exec(query.trimStart())?.[0] ?? ''
  const text = query
    .trimStart()
    .slice(prefix === '/' ? 0 : prefix.length)
    .trim()
  return { prefix, text, bare: text === '' || text === '/' }
}

export function looksInto(source: Source, query: Query): boolean {
  return !query.prefix || source.prefixes.includes(query.prefix)
}

/**
 * Keeps which entries of each source matched the last query: a query that only became longer matches no others. Most
 * keys then search a few entries instead of all.
 */
export class Matched {
  #last = new Map<Source, { text: string; all: readonly Entry[]; found: readonly Entry[] }>()

  /** Returns the entries of a source that may match the query. */
  among(source: Source, all: readonly Entry[], text: string): readonly Entry[] {
    const last = this.#last.get(source)
    return last?.all === all && text.startsWith(last.text) ? last.found : all
  }

  keep(source: Source, all: readonly Entry[], text: string, found: readonly Ranked<Entry>[]) {
    this.#last.set(source, { text, all, found: found.map((r) => r.item) })
  }
}

const alike = 20 // difference in points between matches of equal quality

/** Returns the local matches of a query, the source with the best match first; equal ones keep their order. */
export function search(
  sources: readonly Source[],
  entriesOf: (s: Source) => readonly Entry[],
  query: Query,
  matched?: Matched,
): Section[] {
  const sections = sources
    .filter((s) => looksInto(s, query))
    .map((s) => section(s, entriesOf(s), query, matched))
    .filter((s) => s.entries.length > 0)
  const best = (s: Section) => Math.floor(s.entries[0].score) // the length of the text matters only within a source
  const least = Math.max(...sections.map(best)) - alike
  const rate = (s: Section) => (best(s) > least ? Infinity : best(s))
  return query.bare ? sections : sections.sort((a, b) => (rate(a) === rate(b) ? 0 : rate(b) - rate(a)))
}

/** Reports whether the name of the best entry matches the query, not only some letters or synonyms. */
export function named(section: Section, query: Query): boolean {
  return query.bare || section.entries[0].score >= begins + 50 * (query.text.split(/\s+/).length - 1)
}

/** The searched text of each entry, cached for the next key. */
const prepared = new WeakMap<Entry, Text>()
function searched(e: Entry): Text {
  let text = prepared.get(e)
  if (!text) {
    const whole = e.method ? [`${e.method} ${e.text}`] : [] // GET /device/devices as it is written
    prepared.set(e, (text = prepare([e.text, e.words, e.hint, ...whole])))
  }
  return text
}

export function section(source: Source, entries: readonly Entry[], query: Query, matched?: Matched): Section {
  const text = query.bare ? '' : query.text
  const found = rank(text, matched?.among(source, entries, text) ?? entries, searched)
  matched?.keep(source, entries, text, found)
  const few = query.prefix ? 200 : query.bare ? source.first : source.most
  return { group: source.group, entries: found.slice(0, few), total: found.length }
}

/** Returns the requested entries of this query, with the matching letters marked. */
export function requested(source: Source, entries: readonly Entry[], query: Query): Section {
  const known = new Map(
    section({ ...source, most: Infinity, first: Infinity }, entries, query).entries.map((r) => [r.item.id, r]),
  )
  const all = entries.map((item) => known.get(item.id) ?? { item, score: 0, marks: [] })
  const few = all.slice(0, query.prefix ? 200 : query.bare ? source.first : source.most)
  return { group: source.group, entries: few, total: all.length < (source.cut ?? Infinity) ? all.length : few.length }
}

/** Returns the first rows of the sections. */
export function upTo(rows: number, sections: readonly Section[]): Section[] {
  let left = rows
  return sections.flatMap((s) => {
    const entries = left < s.entries.length ? s.entries.slice(0, Math.max(0, left)) : s.entries
    left -= entries.length
    return entries.length ? [{ ...s, entries }] : []
  })
}

/** Returns the search word by which an entry was found, if neither its text nor its hint shows it. */
export function reason({ words, method }: Entry, marks: readonly number[][]): string {
  const at = method ? undefined : marks[1]?.[0]
  if (at === undefined) return ''
  const end = words.indexOf(' ', at)
  return words.slice(words.lastIndexOf(' ', at) + 1, end < 0 ? undefined : end)
}

/** Puts the entries with these ids before the sections, as one of their own. */
export function withRecent(
  group: string,
  ids: readonly string[],
  all: Iterable<Entry>,
  sections: readonly Section[],
): Section[] {
  const known = new Map([...all].map((e) => [e.id, e]))
  const recent = ids.flatMap((id) => known.get(id) ?? [])
  if (!recent.length) return [...sections]
  const rest = sections.map(({ group, entries, total }) => {
    const left = entries.filter((e) => !ids.includes(e.item.id))
    return { group, entries: left, total: total - (entries.length - left.length) }
  })
  const entries = recent.map((item) => ({ item, score: 0, marks: [] }))
  return [{ group, entries, total: entries.length }, ...rest.filter((s) => s.entries.length)]
}
