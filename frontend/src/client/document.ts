/** The body of a response. Go stores it under an id; the page requests the part in view. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'

export type DocRow = Schemas['TreeRow']
export type Rows = Schemas['TreeRows']
export type Found = Schemas['Match']

export interface DocumentClient {
  rows(document: string, from: number, count: number): Promise<Rows>
  toggle(document: string, node: number, open: boolean, deep: boolean, from: number, count: number): Promise<Rows>
  /**
   * Returns the expanded state of the tree, to restore it; also for another document with the same
   * bytes.
   */
  left(document: string): Promise<string>
  unfold(document: string, left: string, from: number, count: number): Promise<Rows>
  lines(document: string, from: number, count: number): Promise<Schemas['TextLines']>
  nodePath(document: string, node: number): Promise<string>
  nodeValue(document: string, node: number): Promise<string>
  /** Searches keys and values, and expands the tree around the match. */
  find(document: string, query: string, from: number, matchCase: boolean, signal?: AbortSignal): Promise<Found>
  /** Searches the body as received; `row` is a line. */
  findText(document: string, query: string, from: number, matchCase: boolean, signal?: AbortSignal): Promise<Found>
  /** The address of the body as received, to save it. */
  rawUrl(document: string): string
  /** Returns the first 4 KiB of the body in hexadecimal, 16 bytes per line. */
  hex(document: string): Promise<string>
}

export function documentClient(http: Http): DocumentClient {
  const { get, post, text, url } = explorer(http)
  return {
    rows: (id, from, count) => get('/documents/{id}/rows', { params: { id }, query: { from, count } }),
    toggle: (id, node, open, deep, from, count) =>
      post('/documents/{id}/toggle', { params: { id }, body: { node, open, deep, from, count } }),
    left: async (id) => (await get('/documents/{id}/left', { params: { id } })).left,
    unfold: (id, left, from, count) => post('/documents/{id}/unfold', { params: { id }, body: { left, from, count } }),
    lines: (id, from, count) => get('/documents/{id}/lines', { params: { id }, query: { from, count } }),
    nodePath: async (id, node) => (await get('/documents/{id}/path', { params: { id }, query: { node } })).path,
    nodeValue: (id, node) => text('/documents/{id}/value', { params: { id }, query: { node } }),
    find: (id, query, from, matchCase, signal) =>
      get('/documents/{id}/find', { params: { id }, query: { query, from, case: matchCase }, signal }),
    findText: (id, query, from, matchCase, signal) =>
      get('/documents/{id}/find', { params: { id }, query: { query, from, case: matchCase, raw: true }, signal }),
    rawUrl: (id) => url('/documents/{id}/raw', { params: { id } }),
    hex: (id) => text('/documents/{id}/hex', { params: { id } }),
  }
}
