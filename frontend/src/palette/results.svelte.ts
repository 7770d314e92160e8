import type { App } from '../app.svelte'
import { asked, looksInto, parseQuery, search, type Entry, type Section, type Source } from './entries'

/**
 * What the palette shows for what is typed. What is at hand comes at once and
 * first; what is asked for follows below it, so that nothing that may be chosen
 * moves when it arrives.
 */
export class Results {
  query = $state('')
  #answers = $state.raw(new Map<Source, { text: string; entries: Entry[] }>())
  #asking: AbortController | undefined

  readonly #lists: Map<Source, Entry[]> = $derived.by(() => new Map(this.sources.map((s) => [s, s.list?.(this.app) ?? []])))
  readonly #parsed = $derived(parseQuery(this.query))
  readonly sections: Section[] = $derived([...this.#atHand(), ...this.#asked()])
  readonly flat: Entry[] = $derived(this.sections.flatMap((s) => s.entries.map((e) => e.item)))

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
    for (const source of this.sources) {
      if (!source.ask || !looksInto(source, query)) continue
      source.ask(this.app, text, stop.signal).then(
        (entries) => {
          if (!stop.signal.aborted) this.#answers = new Map(this.#answers).set(source, { text, entries })
        },
        () => {}, // the palette works without them
      )
    }
  }

  stop() {
    this.#asking?.abort()
  }

  #atHand(): Section[] {
    return search(this.sources.filter((s) => s.list), (s) => this.#lists.get(s)!, this.#parsed)
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
