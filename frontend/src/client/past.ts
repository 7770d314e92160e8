/** The history as it is searched, and what is made of it. */
import type { History, Method, Token } from './model'
import type { Http } from './call'

export interface PastQuery {
  /** All of them, or their beginnings, are in the request or the answer. */
  words?: string
  method?: Method | ''
  /** The status's first digit; 0 where there was no answer. */
  status?: number
  /** The path in the catalog. */
  endpoint?: string
  pinned?: boolean
  /** Milliseconds since the epoch; `to` is not included. */
  from?: number
  to?: number
  /** Only ids below: the next page. */
  before?: number
  size?: number
}

/** A past request without its draft. */
export interface Past extends Omit<History, 'draft'> {
  pinned: boolean
  /** Items of each page, where all pages of a list were fetched; 0 for one request. */
  pageSize: number
  /** Items that came of all pages; with `error` they are not all. */
  items: number
  /** Items that the list has in all; 0 when nobody said. */
  total: number
  /** The path in the catalog, or ''. */
  template: string
  /** Where a word was found that the row does not show by itself. */
  found: { in: 'request' | 'answer'; before: string; text: string; after: string } | null
}

export interface PastPage {
  /** Counted to 1000 only where there are conditions; 0 on a further page. */
  total: number
  more: boolean
  items: Past[]
}

export interface Script {
  text: string
  lines: Token[][]
  /** Of the file to save it in. */
  name: string
}

/** Where the history was left: the first row in view, and how many pixels of it are above. */
export interface PastSpot {
  id: number
  above: number
}

export interface PastClient {
  searchHistory(query: PastQuery): Promise<PastPage>
  pinHistory(id: number, pinned: boolean): Promise<void>
  /** Brings a deleted request back, as long as it is among the last that were deleted. */
  restoreHistory(id: number): Promise<void>
  /** One program that sends the requests again; `language` may be runbook. */
  script(ids: number[], language: string): Promise<Script>
}

export function pastClient({ json, ask }: Http): PastClient {
  return {
    searchHistory(query) {
      const pairs = Object.entries(query).filter(([, v]) => v !== undefined && v !== '' && v !== false)
      return json('/explorer/history/search?' + new URLSearchParams(pairs.map(([k, v]) => [k, String(v)])).toString())
    },
    pinHistory: async (id, pinned) =>
      void (await ask(`/explorer/history/${id}`, { method: 'PATCH', body: { pinned } })),
    restoreHistory: async (id) => void (await ask(`/explorer/history/${id}/restore`, { method: 'POST', body: {} })),
    script: (ids, language) => json('/explorer/script', { method: 'POST', body: { ids, language } }),
  }
}
