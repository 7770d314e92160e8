/** Questions to the portal by the way: no tab, no history. */
import type { Http } from './call'
import { explorer } from './explorer'
import { Fault } from './fault'
import type { DraftData, Row } from './model'
import { text } from './text'

export interface LookupClient {
  /**
   * Asks the portal for a path of its API, {{variables}} allowed, and answers the
   * body as it came. Rejects with a Fault also when the portal's status is no 2xx.
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
      const answer = await post('/lookup', { body: { draft }, signal })
      if (answer.status < 200 || answer.status > 299) {
        const { errorMessage } = (answer.body ?? {}) as { errorMessage?: string }
        throw new Fault(errorMessage ?? text.returned(answer.status), answer.status)
      }
      return answer.body as T
    },
  }
}
