import type { App } from '../state/app.svelte'
import { asked, looksInto, named, parseQuery, search, type Entry, type Section, type Source } from './entries'

/** How long answers wait for each other, in ms: those that come together move nothing that was shown. */
const together = 250
const aMoment = () => new Promise((go) => setTimeout(go, together))

/**
 * What the palette shows for what is typed. What is at hand comes at once, and
 * what is asked for below it, so that nothing that may be chosen moves when it
 * arrives; only what is at hand for other reasons than its name makes room.
 */
export class Results {
  query = $state('')
  /** Something that was asked for has not been answered yet. */
  busy = $state(false)
  #answers = $state.raw(new Map<Source, { text: string; entries: Entry[] }>())
  /** Resolves when what comes soon of what was asked for last is shown. */
  soon: Promise<unknown> = Promise.resolve()
  /** Resolves when all of it is shown, or known not to come. */
  settled: Promise<unknown> = Promise.resolve()
  #asking: AbortController | undefined

  readonly #lists: Map<Source, Entry[]> = $derived.by(
    () => new Map(this.sources.map((s) => [s, s.list?.(this.app) ?? []])),
  )
  readonly #parsed = $derived(parseQuery(this.query))
  readonly sections: Section[] = $derived.by(() => {
    const atHand = this.#atHand()
    const [first, last] = [true, false].map((is) => atHand.filter((s) => named(s, this.#parsed) === is))
    return [...first, ...this.#asked(), ...last]
  })
  readonly flat: Entry[] = $derived(this.sections.flatMap((s) => s.entries.map((e) => e.item)))

  /** Whether the first entry may be another one in a moment. */
  get unsure(): boolean {
    return this.busy && !this.sections.some((s) => named(s, this.#parsed))
  }

  constructor(
    private app: App,
    private sources: readonly Source[],
    query: string,
  ) {
    this.query = query
  }

  /** Asks those that must be asked, for what is typed now. */
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
      // the palette works without those that do not come
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
      const found = fresh ? [asked(source, answer.entries, query)] : search([source], () => answer.entries, query)
      return found.filter((s) => s.entries.length > 0)
    })
  }
}
