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

/** How long a response waits for those shown above it, in ms. */
const inOrder = 250
const mostRecent = 5
const aMoment = () => new Promise<void>((go) => setTimeout(go, inOrder))

/**
 * The results of a query. Local matches appear at once, and requested ones below them as they arrive, in the order of
 * their sources, so that nothing moves; only local matches by other fields than the name make room, until an entry is
 * selected.
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
  /** The sections down to that of the selected entry, which stay as they are. */
  #held = $state.raw<Section[]>([])
  readonly #ran: string[] // when the palette was opened

  readonly #lists: Map<Source, Entry[]> = $derived.by(
    () => new Map(this.sources.map((s) => [s, s.list?.(this.app) ?? []])),
  )
  readonly #parsed = $derived(parseQuery(this.query))
  /** The local matches, which responses do not change. */
  readonly #atHand: Section[] = $derived.by(() =>
    search(
      this.sources.filter((s) => s.list),
      (s) => this.#lists.get(s)!,
      this.#parsed,
    ),
  )
  readonly sections: Section[] = $derived.by(() => {
    const [first, last] = [true, false].map((is) => this.#atHand.filter((s) => named(s, this.#parsed) === is))
    const found = [...first, ...this.#asked(), ...last]
    const all =
      this.#parsed.bare && !this.#parsed.prefix
        ? withRecent(text.palette.recent, this.#ran, [...this.#lists.values()].flat(), found)
        : found
    return [...this.#held, ...all.filter((s) => !this.#held.some((held) => held.group === s.group))]
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

  /** Records that an entry was run, unless it came from a lookup, whose source cannot list it again. */
  ran({ id }: Entry) {
    if (![...this.#lists.values()].some((entries) => entries.some((e) => e.id === id))) return
    this.app.settings.save({ ran: [id, ...this.#ran.filter((other) => other !== id)].slice(0, mostRecent) })
  }

  /** Keeps an entry where it is while responses arrive. */
  hold(at: number) {
    let end = 0
    const from = this.sections.findIndex((s) => (end += s.entries.length) > at)
    this.#held = this.sections.slice(0, from + 1)
  }

  /** Requests matches of the current query. */
  ask() {
    this.stop()
    this.#held = []
    const stop = (this.#asking = new AbortController())
    const query = this.#parsed
    const text = query.bare ? '' : query.text
    const wanted = this.sources.filter((s) => s.ask && looksInto(s, query))
    const late = aMoment()
    const show = async (source: Source, before: Promise<void>) => {
      const answer = source.ask!(this.app, text, stop.signal)
      const [found] = await Promise.allSettled([answer, Promise.race([before, late])])
      if (found.status === 'rejected' || stop.signal.aborted) return // the palette works without failed sources
      this.#answers = new Map(this.#answers).set(source, { text, entries: found.value })
    }
    let before = Promise.resolve()
    const all = wanted.map((source) => (before = show(source, before)))
    this.busy = wanted.length > 0
    this.settled = Promise.all(all).then(() => {
      if (!stop.signal.aborted) this.busy = false
    })
    this.soon = Promise.race([this.settled, late])
  }

  stop() {
    this.#asking?.abort()
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
