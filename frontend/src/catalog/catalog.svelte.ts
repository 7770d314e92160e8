import { asFault, type Category, type Client, type Endpoint, type Fault, type Method } from '../client'
import { rank, type Ranked } from '../palette/fuzzy'
import { fieldNames } from './schema'

/** The endpoints of the portal: looked up by method and path, and searched. */
export class Catalog {
  fault = $state.raw<Fault>()
  loading = $state(true)
  // Made once when the catalog arrives: deriving 500 search texts anew for each key would be felt.
  #index = $state.raw(indexOf([]))

  get categories(): Category[] {
    return this.#index.categories
  }

  get endpoints(): Endpoint[] {
    return this.#index.endpoints
  }

  constructor(private client: Pick<Client, 'catalog'>) {}

  async load() {
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
   * The endpoint that method and path belong to, also when ids or {{variables}}
   * stand where the template has {id}. Of several, the most literal one.
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

  /** Best first: path, then method, summary, description and field names. */
  search(query: string): Ranked<Endpoint>[] {
    const { endpoints, texts } = this.#index
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const found = rank(query, endpoints, (e) => texts.get(e) ?? e.path)
    // "add device" means the summary "Add a device", though both words stand elsewhere too.
    const bonus = (e: Endpoint) => {
      const summary = ` ${e.summary.toLowerCase()} `
      const others = words.filter((w) => w !== e.method.toLowerCase())
      return others.length > 1 && others.every((w) => summary.includes(` ${w} `)) ? 40 : 0
    }
    return found.map((f) => ({ ...f, score: f.score + bonus(f.item) })).sort((a, b) => b.score - a.score)
  }
}

function indexOf(categories: Category[]) {
  const endpoints = categories.flatMap((c) => c.endpoints)
  return {
    categories,
    endpoints,
    byId: new Map(endpoints.map((e) => [e.id, e])),
    split: endpoints.map((endpoint) => ({ endpoint, parts: segments(endpoint.path) })),
    texts: new Map(endpoints.map((e) => [e, searchTexts(e)])),
  }
}

/** Whether path is template with its {id}s kept or replaced. */
export function fits(template: string, path: string): boolean {
  return matchScore(segments(template), segments(path)) >= 0
}

/** The names between single braces, in order, each once. */
export function placeholders(path: string): string[] {
  const names = [...path.matchAll(/\{\{[^{}]*\}\}|\{([^{}/]+)\}/g)].map((m) => m[1]).filter((n) => n !== undefined)
  return [...new Set(names)]
}

function segments(path: string): string[] {
  return path.split('?', 1)[0].replace(/^\/+|\/+$/g, '').split('/')
}

/** -1 when they do not match, else how many segments match by letter. */
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
  const fields = new Set([...e.params.map((p) => p.name), ...fieldNames(e.body), ...fieldNames(e.answer)])
  return [e.path, e.method, e.summary, e.doc, [...fields].join(' ')]
}
