/** Requests about a response apart from its rows: matches, values, differences, extractors. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'
import { collection, type Kept } from './kept'
import type { DraftData } from './model'

export type Filtered = Schemas['Filtered']
export type Leaf = Schemas['Leaf']
export type Scalars = Schemas['Scalars']
export type Change = Schemas['Change']
export type Comparison = Schemas['Comparison']
export type Extractor = Schemas['Extractor']

/** One side of a comparison: an open document, a request of the history, or an example of a saved request. */
export interface Side {
  document?: string
  historyId?: number
  exampleId?: number
  label: string
}

export interface InspectClient {
  /**
   * Returns values by JSONPath or jq. After an error, it rejects with a Fault whose detail has the
   * position as `at`.
   */
  filter(document: string, query: string, signal?: AbortSignal): Promise<Filtered>
  /** Returns the distinct keys at the beginning of the document. */
  keys(document: string): Promise<string[]>
  /** Returns the scalars at all depths; in a list those of one item. */
  scalars(document: string, item: number, signal?: AbortSignal): Promise<Scalars>
  /** Returns a value exactly as in the body, a string with its quotes. */
  nodeJson(document: string, node: number): Promise<string>
  compare(left: Side, right: Side, ignore: string[], signal?: AbortSignal): Promise<Comparison>
  /** Reads with the permissions of another role; for administrators. */
  asRole(draft: DraftData, roleId: number): Promise<Schemas['SeenAs']>
  extractors: Kept<'/extractors'>
  /** Returns the kinds of checks in the order to show them. */
  checkKinds(): Promise<Schemas['ShownKind'][]>
}

export function inspectClient(http: Http): InspectClient {
  const { get, post, text } = explorer(http)
  return {
    filter: (id, query, signal) => post('/documents/{id}/filter', { params: { id }, body: { query }, signal }),
    keys: async (id) => (await get('/documents/{id}/keys', { params: { id } })).keys,
    scalars: (id, item, signal) => get('/documents/{id}/scalars', { params: { id }, query: { item }, signal }),
    nodeJson: (id, node) => text('/documents/{id}/value', { params: { id }, query: { node, exact: true } }),
    compare: (left, right, ignore, signal) =>
      post('/compare', {
        signal,
        body: {
          left: left.document,
          right: right.document,
          leftHistory: left.historyId,
          rightHistory: right.historyId,
          leftExample: left.exampleId,
          rightExample: right.exampleId,
          ignore,
        },
      }),
    asRole: (draft, roleId) => post('/as-role', { body: { draft, roleId } }),
    extractors: collection(http, '/extractors'),
    checkKinds: async () => (await get('/checks')).kinds,
  }
}
