/** Rows that are stored for the user below /explorer. */
import { address, type Http } from './call'
import type { BodyOf, ReplyOf } from './explorer'
import type { paths } from './explorer.gen' // from the program's OpenAPI; do not edit
import type { Collection } from './model'

/** The rows at a path below /explorer. */
export type Kept<P extends string> =
  ReplyOf<P, 'get'> extends { items: (infer T)[] }
    ? Collection<T, BodyOf<P, 'post'>, BodyOf<`${P}/{id}`, 'patch'>>
    : never

/** The usual five verbs for one kind of row. */
export function collection<P extends keyof paths>(http: Http, path: P): Kept<P>
export function collection<T, New, Change>({ json, request }: Http, path: string): Collection<T, New, Change> {
  const at = (id: number) => `/explorer${path}/${id}`
  return {
    list: (query) => json(`/explorer${address({ path, query: { ...query, fields: query?.fields?.join() } })}`),
    get: (id) => json(at(id)),
    create: (value) => json(`/explorer${path}`, { method: 'POST', body: value, keep: true }),
    update: (id, change) => json(at(id), { method: 'PATCH', body: change, keep: true }),
    remove: async (id) => void (await request(at(id), { method: 'DELETE', keep: true })),
  }
}
