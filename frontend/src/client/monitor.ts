/** The portal's own API for the Monitor view, typed by its OpenAPI, without tabs or history. */
import type { paths } from './api.gen' // from the portal's OpenAPI; do not edit
import { address, type Http } from './call'
import type { ListPath, Method } from './model'

/**
 * Fields that are optional in a body are always present in a response, unless `fields` selects
 * fewer.
 */
type Whole<T> = T extends (infer E)[] ? Whole<E>[] : T extends object ? { [K in keyof T]-?: Whole<T[K]> } : T

/** The success response of an endpoint. */
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

export interface RequestOptions {
  /** The values of {names} in the path. */
  params?: Record<string, string | number>
  /** Undefined and '' are not sent. */
  query?: Record<string, string | number | boolean | undefined>
  signal?: AbortSignal
}

/** A sent call, to open it in the Explorer. */
export interface MadeCall extends Omit<RequestOptions, 'signal'> {
  method: Method
  /** The template, with {names}. */
  path: string
  body?: unknown
}

/** Every call rejects with a Fault. */
export interface MonitorClient {
  list<P extends ListPath>(path: P, options?: RequestOptions): Promise<AnswerOf<P, 'get'>>
  get<P extends PathOf<'get'>>(path: P, options?: RequestOptions): Promise<AnswerOf<P, 'get'>>
  /** Creates an object, or runs an action on one: POST. */
  create<P extends PathOf<'post'>>(
    path: P,
    body?: BodyOf<P, 'post'>,
    options?: RequestOptions,
  ): Promise<AnswerOf<P, 'post'>>
  /** Changes only the given fields: PATCH. */
  change<P extends PathOf<'patch'>>(
    path: P,
    body: BodyOf<P, 'patch'>,
    options?: RequestOptions,
  ): Promise<AnswerOf<P, 'patch'>>
  /** Replaces the whole object: PUT. */
  replace<P extends PathOf<'put'>>(
    path: P,
    body: BodyOf<P, 'put'>,
    options?: RequestOptions,
  ): Promise<AnswerOf<P, 'put'>>
  remove<P extends PathOf<'delete'>>(path: P, options?: RequestOptions): Promise<void>
}

export function monitorClient({ json, request }: Pick<Http, 'json' | 'request'>): MonitorClient {
  const send =
    (method: Method) =>
    (path: string, body?: unknown, { signal, ...at }: RequestOptions = {}) =>
      json<never>(`/api${address({ path, ...at })}`, { method, body: body ?? {}, signal })
  const get = (path: string, { signal, ...at }: RequestOptions = {}) =>
    json<never>(`/api${address({ path, ...at })}`, { signal })
  return {
    list: get,
    get,
    create: send('POST'),
    change: send('PATCH'),
    replace: send('PUT'),
    remove: async (path, { signal, ...at }: RequestOptions = {}) =>
      void (await request(`/api${address({ path, ...at })}`, { method: 'DELETE', signal })),
  }
}
