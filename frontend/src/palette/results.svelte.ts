import type { App } from '../state/app.svelte'
import {
  asked,
  looksInto,
  named,
  parseQuery,
  search,
  withRecent,
  type Entry,
  type Section,
  type Source,
} from './entries'
import { text } from './text'

/** How long responses wait for each other, in ms, so that they appear together. */
const together = 250
const mostRecent = 5
const aMoment = () => new Promise((go) => setTimeout(go, together))

/**
 * The results of a query. Local matches appear at once, and requested ones below them, so that nothing moves when these
 * arrive; only local matches by other fields than the name make room.
 */
export class Results {
  query = $state('')
  /** A request is pending. */
  busy = $state(false)
  #answers = $state.raw(new Map<Source, { text: string; entries: Entry[] }>())
  /** Resolves when the first responses to the last query are shown. */
  soon: Promise<unknown> = Promise.resolve()
  /** Resolves when all responses are shown, or failed. */
  settled: Promise<unknown> = Promise.resolve()
  #asking: AbortController | undefined
  readonly #ran: string[] // when the palette was opened

  readonly #lists: Map<Source, Entry[]> = $derived.by(
    () => new Map(this.sources.map((s) => [s, s.list?.(this.app) ?? []])),
  )
  readonly #parsed = $derived(parseQuery(this.query))
  readonly sections: Section[] = $derived.by(() => {
    const atHand = this.#atHand()
    const [first, last] = [true, false].map((is) => atHand.filter((s) => named(s, this.#parsed) === is))
    const all = [...first, ...this.#asked(), ...last]
    if (!this.#parsed.bare || this.#parsed.sign) return all
    return withRecent(text.palette.recent, this.#ran, [...this.#lists.values()].flat(), all)
  })
  readonly flat: Entry[] = $derived(this.sections.flatMap((s) => s.entries.map((e) => e.item)))

  /** Whether the first entry may still change. */
  get unsure(): boolean {
    return this.busy && !this.sections.some((s) => named(s, this.#parsed))
  }

  constructor(
    private app: App,
    private sources: readonly Source[],
    query: string,
  ) {
    this.query = query
    this.#ran = app.settings.values.ran ?? []
  }

  /** Remembers an entry that is run, unless it was looked up: its source does not list it again. */
  ran({ id }: Entry) {
    if (![...this.#lists.values()].some((entries) => entries.some((e) => e.id === id))) return
    this.app.settings.save({ ran: [id, ...this.#ran.filter((other) => other !== id)].slice(0, mostRecent) })
  }

  /** Requests matches of the current query. */
  ask() {
    this.stop()
    const stop = (this.#asking = new AbortController())
    const query = this.#parsed
    const text = query.bare ? '' : query.text
    const wanted = this.sources.filter((s) => s.ask && looksInto(s, query))
    const answers = wanted.map(async (source) => ({ source, entries: await source.ask!(this.app, text, stop.signal) }))
    const all = Promise.race([Promise.allSettled(answers), aMoment()])
    const kept = answers.map(async (answer) => {
      const { source, entries } = await answer
      await all
      if (!stop.signal.aborted) this.#answers = new Map(this.#answers).set(source, { text, entries })
    })
    this.busy = wanted.length > 0
    this.settled = Promise.allSettled(kept).then(() => {
      // the palette works without failed sources
      if (!stop.signal.aborted) this.busy = false
    })
    this.soon = Promise.race([this.settled, aMoment()])
  }

  stop() {
    this.#asking?.abort()
  }

  #atHand(): Section[] {
    return search(
      this.sources.filter((s) => s.list),
      (s) => this.#lists.get(s)!,
      this.#parsed,
    )
  }

  #asked(): Section[] {
    const query = this.#parsed
    return this.sources.flatMap((source) => {
      const answer = this.#answers.get(source)
      if (!answer || !looksInto(source, query)) return []
      const fresh = answer.text === (query.bare ? '' : query.text)
      if (!fresh && source.exact) return []
      const found = fresh ? [asked(source, answer.entries, query)] : search([source], () => answer.entries, query)
      return found.filter((s) => s.entries.length > 0)
    })
  }
}
