/** The portal's own API, as the Monitor view asks it: typed by its OpenAPI, with no tab and no history. */
import type { paths } from './api.gen' // from the portal's OpenAPI; never edited
import { address, type Http } from './call'
import type { ListPath, Method } from './model'

/** What may be left out of a body is always there in an answer, unless `fields` asks for less. */
type Whole<T> = T extends (infer E)[] ? Whole<E>[] : T extends object ? { [K in keyof T]-?: Whole<T[K]> } : T

/** What an endpoint answers when all is well. */
type AnswerOf<P extends keyof paths, V extends string> =
  paths[P] extends Record<V, { responses: infer R }>
    ? R extends { 200: { content: { 'application/json': infer T } } }
      ? Whole<T>
      : R extends { 201: { content: { 'application/json': infer T } } }
        ? Whole<T>
        : unknown
    : unknown
export type PathOf<V extends string> = {
  [P in keyof paths]: paths[P] extends Record<V, { responses: unknown }> ? P : never
}[keyof paths]
type BodyOf<P extends keyof paths, V extends string> =
  paths[P] extends Record<V, { requestBody?: { content: { 'application/json': infer T } } }> ? Partial<T> : undefined

/** An item of the list at a path. */
export type ItemOf<P extends ListPath> = AnswerOf<P, 'get'> extends { items: (infer T)[] } ? T : never

export interface Asking {
  /** What stands in place of {names} of the path. */
  params?: Record<string, string | number>
  /** Undefined and '' are not sent. */
  query?: Record<string, string | number | boolean | undefined>
  signal?: AbortSignal
}

/** One call as it was made, to be opened in the Explorer. */
export interface MadeCall extends Omit<Asking, 'signal'> {
  method: Method
  /** The template, with {names}. */
  path: string
  body?: unknown
}

/** Every call rejects with a Fault. */
export interface MonitorClient {
  list<P extends ListPath>(path: P, asking?: Asking): Promise<AnswerOf<P, 'get'>>
  get<P extends PathOf<'get'>>(path: P, asking?: Asking): Promise<AnswerOf<P, 'get'>>
  /** Creates an object, or has one do something: POST. */
  create<P extends PathOf<'post'>>(path: P, body?: BodyOf<P, 'post'>, asking?: Asking): Promise<AnswerOf<P, 'post'>>
  /** Changes the fields that are given: PATCH. */
  change<P extends PathOf<'patch'>>(path: P, body: BodyOf<P, 'patch'>, asking?: Asking): Promise<AnswerOf<P, 'patch'>>
  /** Gives the object as a whole: PUT. */
  replace<P extends PathOf<'put'>>(path: P, body: BodyOf<P, 'put'>, asking?: Asking): Promise<AnswerOf<P, 'put'>>
  remove<P extends PathOf<'delete'>>(path: P, asking?: Asking): Promise<void>
}

export function monitorClient({ json, ask }: Pick<Http, 'json' | 'ask'>): MonitorClient {
  const send =
    (method: Method) =>
    (path: string, body?: unknown, { signal, ...at }: Asking = {}) =>
      json<never>(`/api${address({ path, ...at })}`, { method, body: body ?? {}, signal })
  const get = (path: string, { signal, ...at }: Asking = {}) =>
    json<never>(`/api${address({ path, ...at })}`, { signal })
  return {
    list: get,
    get,
    create: send('POST'),
    change: send('PATCH'),
    replace: send('PUT'),
    remove: async (path, { signal, ...at }: Asking = {}) =>
      void (await ask(`/api${address({ path, ...at })}`, { method: 'DELETE', signal })),
  }
}
