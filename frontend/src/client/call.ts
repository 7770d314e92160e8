/** What the parts of the client call with. */
import type { Collection, ListQuery } from './model'

export interface Call {
  method?: string
  body?: unknown
  signal?: AbortSignal
  /** Let the call outlive the page: it writes what was edited. */
  keep?: boolean
  headers?: Record<string, string>
  /** A form with a file, in place of a JSON body. */
  form?: FormData
}

/** What the parts of the client ask with; every call rejects with a Fault. */
export interface Http {
  json: <T>(path: string, call?: Call) => Promise<T>
  ask: (path: string, call?: Call) => Promise<Response>
}

/** The usual five verbs of one kind of thing. */
export function collection<T extends { id: number }>({ json, ask }: Http, path: string): Collection<T> {
  return {
    list: (query = {}) => json(path + search(query)),
    get: (id) => json(`${path}/${id}`),
    create: (value) => json(path, { method: 'POST', body: value, keep: true }),
    update: (id, change) => json(`${path}/${id}`, { method: 'PATCH', body: change, keep: true }),
    remove: async (id) => void (await ask(`${path}/${id}`, { method: 'DELETE', keep: true })),
  }
}

function search(query: ListQuery): string {
  const pairs = Object.entries(query).filter(([, v]) => v !== undefined && v !== '')
  if (pairs.length === 0) return ''
  return '?' + pairs.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`).join('&')
}
