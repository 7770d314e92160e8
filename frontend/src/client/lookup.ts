/** Requests to the portal in the background, without a tab or history. */
import type { Http } from './call'
import { explorer } from './explorer'
import { asFault, Fault } from './fault'
import type { DraftData, Row } from './model'
import { text } from './text'

export interface LookupClient {
  /**
   * Requests a path of the portal's API, with {{variables}} allowed, and returns the body
   * unchanged. It also rejects with a Fault if the portal's status is not 2xx.
   */
  lookup<T>(path: string, query?: Record<string, string>, signal?: AbortSignal): Promise<T>
}

const most = 8 // lookups in one request

/** A lookup that is sent together with others. */
interface Waiting {
  draft: DraftData
  signal?: AbortSignal
  done: (response: { status: number; body: unknown }) => void
  fail: (reason: unknown) => void
}

/** Lookups that begin in the same task go in one request: the palette searches several lists with each key. */
export function lookupClient(http: Http): LookupClient {
  const { post } = explorer(http)
  let waiting: Waiting[] = []

  async function send(all: Waiting[]) {
    const [stop, over] = [new AbortController(), new AbortController()]
    let wanted = all.length
    for (const { signal, fail } of all) {
      const leave = () => {
        fail(asFault(signal!.reason))
        if (--wanted === 0) stop.abort()
      }
      signal?.addEventListener('abort', leave, { once: true, signal: over.signal })
    }
    try {
      const { found } = await post('/lookup', { body: { drafts: all.map((w) => w.draft) }, signal: stop.signal })
      all.forEach((w, i) => w.done(found[i]))
    } catch (e) {
      for (const w of all) w.fail(e)
    } finally {
      over.abort()
    }
  }

  function flush() {
    const all = waiting.filter((w) => !w.signal?.aborted || w.fail(asFault(w.signal.reason)))
    waiting = []
    for (let i = 0; i < all.length; i += most) void send(all.slice(i, i + most))
  }

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
      const { status, body } = await new Promise<{ status: number; body: unknown }>((done, fail) => {
        if (waiting.push({ draft, signal, done, fail }) === 1) queueMicrotask(flush)
      })
      if (status < 200 || status > 299) {
        const { errorMessage } = (body ?? {}) as { errorMessage?: string }
        throw new Fault(errorMessage ?? text.returned(status), status)
      }
      return body as T
    },
  }
}
