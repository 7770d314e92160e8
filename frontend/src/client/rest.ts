/**
 * Objects of the portal whose type is known only at run time: lists and forms that are built from a
 * plan.
 */
import { address as addressOf, type Http, type Query } from './call'
import type { Listing, ListQuery, Method } from './model'

/** A value with its version, for If-Match; '' if it has none. */
export interface Versioned<T> {
  value: T
  etag: string
}

export interface RestClient {
  rest: {
    list<T>(path: string, query?: ListQuery, signal?: AbortSignal): Promise<Listing<T>>
    get<T>(path: string, query?: Record<string, string>, signal?: AbortSignal): Promise<Versioned<T>>
    /** With an etag, rejects with a Fault of status 412 if the object has changed since. */
    write<T>(method: Exclude<Method, 'GET'>, path: string, body?: unknown, etag?: string): Promise<T>
    text(path: string): Promise<string>
    /** The address of a file of the portal, for the browser to save it. */
    url(path: string): string
  }
}

export function restClient({ json, request }: Http): RestClient {
  const address = (path: string, query?: Query) => `/api${addressOf({ path, query })}`
  return {
    rest: {
      list: (path, query, signal) => json(address(path, { ...query }), { signal }),
      get: async (path, query, signal) => {
        const response = await request(address(path, query), { signal })
        return { value: (await response.json()) as never, etag: response.headers.get('ETag') ?? '' }
      },
      write: (method, path, body = method === 'DELETE' ? undefined : {}, etag = '') =>
        json(address(path), { method, body, headers: etag ? { 'If-Match': etag } : undefined }),
      text: async (path) => (await request(address(path))).text(),
      url: (path) => address(path),
    },
  }
}
