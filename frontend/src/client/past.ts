/** Searching the history, and writing scripts from it. */
import type { Http } from './call'
import { explorer, type BodyOf, type QueryOf, type Schemas } from './explorer'

export type PastQuery = QueryOf<'/history/search'>
/** A past request without its draft. */
export type Past = Schemas['Past']
export type PastPage = Schemas['PastPage']
export type { PastSpot } from './settings'
export type Script = Schemas['Written']
/** Requests of the history, or saved ones. */
export type ScriptOf = { ids: number[]; requests?: undefined } | { requests: number[]; title: string; ids?: undefined }

export interface PastClient {
  searchHistory(query: PastQuery): Promise<PastPage>
  pinHistory(id: number, pinned: boolean): Promise<void>
  /** Restores a deleted request, as long as it is among the last deleted ones. */
  restoreHistory(id: number): Promise<void>
  /** Returns one program that sends the requests; the language may be runbook. */
  script(of: BodyOf<'/script', 'post'>): Promise<Script>
}

export function pastClient(http: Http): PastClient {
  const { get, post, patch } = explorer(http)
  return {
    searchHistory: (query) => get('/history/search', { query }),
    pinHistory: async (id, pinned) => void (await patch('/history/{id}', { params: { id }, body: { pinned } })),
    restoreHistory: async (id) => void (await post('/history/{id}/restore', { params: { id } })),
    script: (body) => post('/script', { body }),
  }
}
