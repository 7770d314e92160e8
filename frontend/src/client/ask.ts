/** Requests about a response beyond its rows: matches, values, differences, extractors. */
import { collection, type Http } from './call'
import type { DocRow } from './document'
import type { Collection } from './model'

/** The matches of a query, as a document of their own. */
export interface Filtered {
  matches: number
  document: string
  bytes: number
  rows: DocRow[]
  rowCount: number
  lineCount: number
}

/** A scalar value of a response, with its path. */
export interface Leaf {
  node: number
  path: string
  key: string
  text: string
  kind: DocRow['kind']
  cut: boolean
}

export interface Scalars {
  /** The list the answer is, and which of its items is among the values; null when it is none. */
  list: { path: string; count: number; item: number; first: number; names: { name: string; id: string }[] } | null
  scalars: Leaf[]
  more: boolean
}

/** One side of a comparison: a document that is open, or a request of the history. */
export interface Side {
  document?: string
  historyId?: number
  label: string
}

export interface Change {
  kind: 'added' | 'removed' | 'changed'
  path: string
  before?: string
  after?: string
}

export interface Comparison {
  /** The first 5,000. */
  changes: Change[]
  added: number
  removed: number
  changed: number
  /** `$.items by id` */
  by: string[]
}

/** Extracts a value of responses into a variable automatically. */
export interface Extractor {
  id: number
  /** "POST /device/devices", or any. */
  endpoint: string
  /** 200, 2xx or any. */
  status: string
  path: string
  variable: string
  on: boolean
  ranAt: number
  last: string
  problem: string
}

export interface AskClient {
  /** Values by JSONPath or jq. A mistake rejects with a Fault whose detail says `at` which character. */
  filter(document: string, query: string, signal?: AbortSignal): Promise<Filtered>
  /** The different keys at the beginning of the document. */
  keys(document: string): Promise<string[]>
  /** Single values at all depths; of a list those of one item. */
  scalars(document: string, item: number, signal?: AbortSignal): Promise<Scalars>
  /** A value exactly as it was sent, a text with its quotes. */
  nodeJson(document: string, node: number): Promise<string>
  compare(left: Side, right: Side, ignore: string[], signal?: AbortSignal): Promise<Comparison>
  extractors: Collection<Extractor>
}

export function askClient(http: Http): AskClient {
  const doc = (id: string, verb: string) => `/explorer/documents/${encodeURIComponent(id)}/${verb}`
  return {
    filter: (id, query, signal) => http.json(doc(id, 'filter'), { method: 'POST', body: { query }, signal }),
    keys: async (id) => (await http.json<{ keys: string[] }>(doc(id, 'keys'))).keys,
    scalars: (id, item, signal) => http.json(`${doc(id, 'scalars')}?item=${item}`, { signal }),
    nodeJson: async (id, node) => (await http.ask(`${doc(id, 'value')}?node=${node}&exact=true`)).text(),
    compare: (left, right, ignore, signal) =>
      http.json('/explorer/compare', {
        method: 'POST',
        signal,
        body: {
          left: left.document ?? '',
          right: right.document ?? '',
          leftHistory: left.historyId ?? 0,
          rightHistory: right.historyId ?? 0,
          ignore,
        },
      }),
    extractors: collection(http, '/explorer/extractors'),
  }
}
