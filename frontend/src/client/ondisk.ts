/** Collections that are synced with folders, and requests that other users may change, too. */
import type { Http } from './call'
import type { SavedDraft } from './collections'
import { explorer, type BodyOf } from './explorer'

export function diskClient(http: Http) {
  const { post, remove } = explorer(http)
  const path = (id: number) => `/explorer/requests/${id}`
  return {
    /** Returns a saved request with its ETag. */
    async current(id: number) {
      const response = await http.request(path(id))
      return { request: (await response.json()) as SavedDraft, etag: response.headers.get('ETag') ?? '' }
    },
    /** Rejects with the status 412 if the request no longer has the ETag. */
    update: (id: number, body: BodyOf<'/requests/{id}', 'patch'>, etag: string) =>
      http.json<SavedDraft>(path(id), { method: 'PATCH', body, headers: { 'If-Match': etag } }),
    keep: async (id: number, dir: string) =>
      void (await post('/collections/{id}/folder', { params: { id }, body: { dir } })),
    stop: async (id: number) => void (await remove('/collections/{id}/folder', { params: { id } })),
    /** Opens a folder as a collection. */
    open: (dir: string) => post('/collections/open', { body: { dir } }),
  }
}
