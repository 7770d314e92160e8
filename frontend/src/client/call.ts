/** The types of calls that the parts of the client share. */

export interface Call {
  method?: string
  body?: unknown
  signal?: AbortSignal
  /** Lets the request outlive the page: it saves edits. */
  keep?: boolean
  headers?: Record<string, string>
  /** A form with a file, instead of a JSON body. */
  form?: FormData
}

/** Sends requests for the parts of the client; every call rejects with a Fault. */
export interface Http {
  json: <T>(path: string, call?: Call) => Promise<T>
  request: (path: string, call?: Call) => Promise<Response>
}

/** Undefined and '' are not sent; each value of a list is a separate pair. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

/** Returns the pairs of a query to send. */
export function pairsOf(query: Query = {}): [string, string][] {
  return Object.entries(query).flatMap(([key, value]) =>
    [value].flat().flatMap((one) => (one === undefined || one === '' ? [] : [[key, String(one)] as [string, string]])),
  )
}

/** Returns the path and query of a call; params replace {names} in the path. */
export function address({
  path,
  params = {},
  query,
}: {
  path: string
  params?: Record<string, string | number>
  query?: Query
}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? `{${name}}`)),
  )
  const pairs = pairsOf(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  return pairs.length ? `${filled}?${pairs.join('&')}` : filled
}
