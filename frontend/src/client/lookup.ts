/** Requests to the portal in the background, without a tab or history. */
import type { Http } from './call'
import { explorer } from './explorer'
import { Fault } from './fault'
import type { DraftData, Row } from './model'
import { text } from './text'

export interface LookupClient {
  /**
   * Requests a path of the portal's API, with {{variables}} allowed, and returns the body
   * unchanged. It also rejects with a Fault if the portal's status is not 2xx.
   */
  lookup<T>(path: string, query?: Record<string, string>, signal?: AbortSignal): Promise<T>
}

export function lookupClient(http: Http): LookupClient {
  const { post } = explorer(http)
  return {
    async lookup<T>(path: string, query: Record<string, string> = {}, signal?: AbortSignal) {
      const rows: Row[] = Object.entries(query).map(([key, value]) => ({ on: true, key, value }))
      const draft: DraftData = {
        method: 'GET',
        path,
        template: '',
        pathParams: [],
        query: rows,
        headers: [],
        body: '',
        mode: 'form',
      }
      const response = await post('/lookup', { body: { draft }, signal })
      if (response.status < 200 || response.status > 299) {
        const { errorMessage } = (response.body ?? {}) as { errorMessage?: string }
        throw new Fault(errorMessage ?? text.returned(response.status), response.status)
      }
      return response.body as T
    },
  }
}
