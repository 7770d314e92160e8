import {
  asFault,
  type Category,
  type Client,
  type DraftData,
  type Endpoint,
  type Fault,
  type Method,
} from '../../client'
import { prepare, rank, type Ranked, type Text } from '../../ui/fuzzy'
import { fieldNames } from './schema'
import { text } from './text'

/**
 * An endpoint that a search found. `marks` are positions in its path, `summaryMarks` in its
 * summary.
 */
export interface Hit extends Ranked<Endpoint> {
  summaryMarks: number[]
  /** Matches that the row does not show: names of fields, or words of the description. */
  also: string
}

/** A parameter or field, and the endpoints that have it. */
export interface Name {
  name: string
  endpoints: Endpoint[]
}

/** The catalog of a portal: looks up endpoints by method and path, and searches them. */
export class Catalog {
  fault = $state.raw<Fault>()
  loading = $state(true)
  #index = $state.raw(indexOf([]))

  get categories(): Category[] {
    return this.#index.categories
  }

  get endpoints(): Endpoint[] {
    return this.#index.endpoints
  }

  /** Every parameter and field of the catalog, by name. */
  get names(): Name[] {
    return this.#index.names()
  }

  #first: Promise<void> | undefined
  /** Resolves when the catalog has loaded, or failed to. The first caller starts loading. */
  get settled(): Promise<void> {
    return this.#first ?? this.load()
  }

  constructor(private client: Pick<Client, 'catalog'>) {}

  load(): Promise<void> {
    const loading = this.#load()
    this.#first ??= loading
    return loading
  }

  async #load() {
    this.loading = true
    try {
      this.#index = indexOf((await this.client.catalog()).categories)
      this.fault = undefined
    } catch (e) {
      this.fault = asFault(e)
    } finally {
      this.loading = false
    }
  }

  byId(id: string): Endpoint | undefined {
    return this.#index.byId.get(id)
  }

  /**
   * Returns the endpoint of a request: that of its template while the path matches it, or else the
   * one that the path matches.
   */
  of({ method, path, template }: Pick<DraftData, 'method' | 'path' | 'template'>): Endpoint | undefined {
    return (
      (template && fits(template, path) ? this.byId(`${method} ${template}`) : undefined) ?? this.match(method, path)
    )
  }

  /**
   * Returns the endpoint of a method and a path, which may have ids or {{variables}} in place of {id}. Of several,
   * returns the most literal one.
   */
  match(method: Method, path: string): Endpoint | undefined {
    const wanted = segments(path)
    let best: Endpoint | undefined
    let bestScore = -1
    for (const { endpoint, parts } of this.#index.split) {
      if (endpoint.method !== method) continue
      const score = matchScore(parts, wanted)
      if (score > bestScore) [best, bestScore] = [endpoint, score]
    }
    return best
  }

  /**
   * Ranks matches in path, method, summary, description and field names, in this order. "create a device" finds "Add a
   * device".
   */
  search(query: string): Hit[] {
    const word = query.trimStart().split(/\s+/, 1)[0]
    const verb = text.verbs[word.toLowerCase()]
    const best = new Map(this.#found(query).map((h) => [h.item, h]))
    for (const hit of verb ? this.#found(verb + query.trimStart().slice(word.length)) : []) {
      if (hit.score > (best.get(hit.item)?.score ?? 0)) best.set(hit.item, hit)
    }
    return [...best.values()].sort((a, b) => b.score - a.score)
  }

  #found(query: string): Hit[] {
    const { endpoints } = this.#index
    const texts = this.#index.texts()
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const found = rank(query, endpoints, (e) => texts.get(e)!)
    // "add device", or "add dev" while typing it, means the summary "Add a device", although other texts have the
    // words, too; so does "patch device".
    const bonus = (e: Endpoint) => {
      const summary = ` ${e.summary.toLowerCase()} `
      const others = words.filter((w) => w !== e.method.toLowerCase())
      if (words.length < 2 || !others.length || !others.every((w) => summary.includes(` ${w}`))) return 0
      const whole = others.every((w) => summary.includes(` ${w} `))
      const last = whole && summary.endsWith(` ${others.at(-1)} `) // a device, not a device group
      return (whole ? 40 : 20) + (last ? 20 : 0) + 100 / (10 + summary.length) // prefer the shortest summary
    }
    return found.map((f) => ({
      ...f,
      score: f.score + bonus(f.item),
      summaryMarks: f.marks[2] ?? [],
      also: alsoFound(texts.get(f.item)!, f.marks),
    }))
  }
}

function indexOf(categories: Category[]) {
  const endpoints = categories.flatMap((c) => c.endpoints)
  return {
    categories,
    endpoints,
    byId: new Map(endpoints.map((e) => [e.id, e])),
    split: endpoints.map((endpoint) => ({ endpoint, parts: segments(endpoint.path) })),
    // Prepared once, at the first search, because doing it for each key would be slow.
    texts: once(() => new Map(endpoints.map((e) => [e, prepare(searchTexts(e))]))),
    names: once(() => namesOf(endpoints)),
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

function namesOf(endpoints: Endpoint[]): Name[] {
  const all = new Map<string, Endpoint[]>()
  for (const e of endpoints) for (const name of ownNames(e)) all.set(name, [...(all.get(name) ?? []), e])
  return [...all].map(([name, of]) => ({ name, endpoints: of }))
}

/** Returns the names that matched, or else the words of the description around the match. */
function alsoFound({ fields }: Text, marks: number[][]): string {
  const [, , , doc, names] = fields
  if (marks[4]?.length) return [...new Set(marks[4].map((at) => wordAt(names, at)))].slice(0, 3).join(', ')
  if (!marks[3]?.length) return ''
  const from = doc.lastIndexOf(' ', Math.max(0, marks[3][0] - 16)) + 1
  return `${from > 0 ? '…' : ''}${doc.slice(from, from + 60).replace(/\s+/g, ' ')}${from + 60 < doc.length ? '…' : ''}`
}

function wordAt(text: string, at: number): string {
  const end = text.indexOf(' ', at)
  return text.slice(text.lastIndexOf(' ', at) + 1, end < 0 ? undefined : end)
}

/** Whether a path matches a template, with its {id}s kept or replaced. */
export function fits(template: string, path: string): boolean {
  return matchScore(segments(template), segments(path)) >= 0
}

/** Returns the names in single braces, in order, without duplicates. */
export function placeholders(path: string): string[] {
  const names = [...path.matchAll(/\{\{[^{}]*\}\}|\{([^{}/]+)\}/g)].map((m) => m[1]).filter((n) => n !== undefined)
  return [...new Set(names)]
}

function segments(path: string): string[] {
  return path
    .split('?', 1)[0]
    .replace(/^\/+|\/+$/g, '')
    .split('/')
}

/** Returns the number of segments that match literally; -1 if the path does not match. */
function matchScore(template: string[], path: string[]): number {
  if (template.length !== path.length) return -1
  let score = 0
  for (let i = 0; i < template.length; i++) {
    if (template[i] === path[i]) score++
    else if (!/^\{[^{}]+\}$/.test(template[i]) || path[i] === '') return -1
  }
  return score
}

function searchTexts(e: Endpoint): string[] {
  return [e.path, e.method, e.summary, e.doc, [...ownNames(e)].join(' ')]
}

/** Returns the names of its parameters and fields, including nested ones. */
function ownNames(e: Endpoint): Set<string> {
  return new Set([...e.params.map((p) => p.name), ...fieldNames(e.body), ...fieldNames(e.answer)])
}
