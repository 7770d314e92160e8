/** Collections that are shared with other users. */
import type { Http } from './call'
import { explorer, type BodyOf, type Schemas } from './explorer'

export type Share = Schemas['Share']

export function sharesClient(http: Http) {
  const { get, post, patch, remove } = explorer(http)
  return {
    of: async (collectionId: number) =>
      (await get('/shares', { query: { filter: `collectionId:${collectionId}`, sort: 'id', size: 1000 } })).items,
    /** The names of the users to share with. */
    users: async () => (await get('/shares/users')).names,
    add: (body: BodyOf<'/shares', 'post'>) => post('/shares', { body }),
    change: (id: number, edit: boolean) => patch('/shares/{id}', { params: { id }, body: { edit } }),
    end: async (id: number) => void (await remove('/shares/{id}', { params: { id } })),
  }
}
