/** Typed calls of the page's own endpoints; the types come from their declarations. */
import { address, type Call, type Http, type Query } from './call'
import type { components, paths } from './explorer.gen' // from the program's OpenAPI; do not edit

export type Schemas = components['schemas']

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths with the verb. */
type PathOf<V extends Verb> = { [P in keyof paths]: paths[P] extends Record<V, object> ? P : never }[keyof paths]

type Content<P, V extends Verb> = P extends keyof paths
  ? paths[P][V] extends { responses: { 200: { content: infer C } } }
    ? C
    : paths[P][V] extends { responses: { 201: { content: infer C } } }
      ? C
      : never
  : never

/** The JSON that an endpoint returns. */
export type ReplyOf<P, V extends Verb> = Content<P, V> extends { 'application/json': infer T } ? T : never

/** The JSON that an endpoint takes. */
export type BodyOf<P, V extends Verb> = P extends keyof paths
  ? paths[P][V] extends { requestBody: { content: { 'application/json': infer T } } }
    ? T
    : never
  : never

export type QueryOf<P extends PathOf<'get'>> = paths[P]['get'] extends { parameters: { query?: infer T } }
  ? NonNullable<T>
  : never

interface Given extends Pick<Call, 'signal' | 'keep' | 'form'> {
  params?: Record<string, string | number>
  query?: Query
  body?: unknown
}

type GivenTo<P extends keyof paths, V extends Verb> = Pick<Given, 'signal' | 'keep' | 'form'> &
  (paths[P][V] extends { parameters: { path: infer T } } ? { params: T } : { params?: never }) &
  (paths[P][V] extends { parameters: { query?: infer T } } ? { query?: T } : { query?: never }) &
  (paths[P][V] extends { requestBody: { content: { 'application/json': infer T } } } ? { body: T } : { body?: never })

/** The parameters of a path; optional if none is required. */
type Args<P extends keyof paths, V extends Verb> =
  GivenTo<P, V> extends infer G extends Given ? (Record<never, never> extends G ? [given?: G] : [given: G]) : never

/** Every call rejects with a Fault. */
export function explorer({ json, request }: Http) {
  const call =
    <V extends Verb>(verb: V) =>
    <P extends PathOf<V>>(path: P, ...[given = {}]: Args<P, V>): Promise<ReplyOf<P, V>> => {
      const { params, query, ...rest }: Given = given
      return json(urlOf(path, { params, query }), { method: verb.toUpperCase(), ...rest })
    }
  /** The address of a resource that the browser fetches itself. */
  const url = <P extends PathOf<'get'>>(path: P, ...[given = {}]: Args<P, 'get'>): string => urlOf(path, given)
  return {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    remove: call('delete'),
    url,
    text: async <P extends PathOf<'get'>>(path: P, ...given: Args<P, 'get'>) =>
      (await request(url(path, ...given))).text(),
  }
}

const urlOf = (path: string, { params, query }: Given) => `/explorer${address({ path, params, query })}`
