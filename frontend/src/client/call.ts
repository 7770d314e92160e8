/** What the parts of the client call with. */

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

/** Undefined and '' are not sent; of a list, each value is a pair of its own. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

/** The pairs of a query that are sent. */
export function asked(query: Query = {}): [string, string][] {
  return Object.entries(query).flatMap(([key, value]) =>
    [value].flat().flatMap((one) => (one === undefined || one === '' ? [] : [[key, String(one)] as [string, string]])),
  )
}

/** Path and query of a call; params stand in place of {names} of the path. */
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
  const pairs = asked(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  return pairs.length ? `${filled}?${pairs.join('&')}` : filled
}
