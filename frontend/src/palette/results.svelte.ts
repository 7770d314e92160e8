import type { App } from '../state/app.svelte'
import {
  requested,
  looksInto,
  Matched,
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
  #running: AbortController | undefined
  /** The sections down to that of the selected entry, which stay as they are. */
  #held = $state.raw<Section[]>([])
  readonly #ran: string[] // when the palette was opened

  readonly #lists: Map<Source, Entry[]> = $derived.by(
    () => new Map(this.sources.map((s) => [s, s.list?.(this.app) ?? []])),
  )
  readonly #matched = new Matched()
  readonly #parsed = $derived(parseQuery(this.query))
  /** The local matches, which responses do not change. */
  readonly #atHand: Section[] = $derived.by(() =>
    search(
      this.sources.filter((s) => s.list),
      (s) => this.#lists.get(s)!,
      this.#parsed,
      this.#matched,
    ),
  )
  readonly sections: Section[] = $derived.by(() => {
    const [first, last] = [true, false].map((is) => this.#atHand.filter((s) => named(s, this.#parsed) === is))
    const found = [...first, ...this.#requested(), ...last]
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

  /** Requests matches of the current query. Those that are known at once change the page together with the query. */
  request() {
    this.stop()
    this.#held = []
    const stop = (this.#running = new AbortController())
    const query = this.#parsed
    const text = query.bare ? '' : query.text
    const wanted = this.sources.filter((s) => s.find && looksInto(s, query))
    const come = new Map<Source, Entry[] | undefined>()
    let inTime = true
    const show = () => {
      if (stop.signal.aborted) return
      const first = wanted.findIndex((s) => !come.has(s))
      const ready = first < 0 ? wanted : wanted.filter((s, i) => come.has(s) && (!inTime || i < first))
      this.busy = first >= 0
      const fresh = ready.filter((s) => come.get(s) && this.#answers.get(s)?.entries !== come.get(s))
      if (!fresh.length) return
      this.#answers = new Map([...this.#answers, ...fresh.map((s) => [s, { text, entries: come.get(s)! }] as const)])
    }
    const pending = wanted.flatMap((source) => {
      const answer = source.find!(this.app, text, stop.signal)
      if (!(answer instanceof Promise)) return come.set(source, answer) && []
      return answer.then(
        (entries) => come.set(source, entries),
        () => come.set(source, undefined), // the palette works without failed sources
      )
    })
    show()
    for (const answer of pending) void answer.then(show)
    this.settled = Promise.all(pending).then(show)
    this.soon = Promise.race([
      this.settled,
      aMoment().then(() => {
        inTime = false
        show()
      }),
    ])
  }

  stop() {
    this.#running?.abort()
  }

  #requested(): Section[] {
    const query = this.#parsed
    return this.sources.flatMap((source) => {
      const answer = this.#answers.get(source)
      if (!answer || !looksInto(source, query)) return []
      const fresh = answer.text === (query.bare ? '' : query.text)
      if (!fresh && source.exact) return []
      const found = fresh ? [requested(source, answer.entries, query)] : search([source], () => answer.entries, query)
      return found.filter((s) => s.entries.length > 0)
    })
  }
}
