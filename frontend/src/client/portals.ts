/** Portals: the built-in one, and remote ones by address. */
import type { Http } from './call'
import { explorer, type BodyOf, type Schemas } from './explorer'

export type Portal = Schemas['Shown']
export type Environment = Portal['environment']
/** The settings of a remote portal. */
export type PortalData = Required<BodyOf<'/portals', 'post'>>
export type Tried = Schemas['Tried']
/** An untrusted certificate of a portal; it comes with the error. */
export type Certificate = Schemas['Certificate']

export interface PortalsClient {
  portals: {
    all(): Promise<Portal[]>
    create(data: PortalData): Promise<{ id: number }>
    update(id: number, change: Partial<PortalData>): Promise<{ id: number }>
    remove(id: number): Promise<void>
    /** Tests the connection to portal `id` with changed settings; for 0, all settings are given. */
    test(id: number, data: Partial<PortalData>): Promise<Tried>
    signIn(id: number, username: string, password: string, code: string): Promise<Portal>
    signOut(id: number): Promise<Portal>
    /** Reloads its catalog. */
    readCatalog(id: number): Promise<Portal>
  }
}

export function portalsClient(http: Http): PortalsClient {
  const { get, post, patch, remove } = explorer(http)
  return {
    portals: {
      all: async () => (await get('/portals/all')).items,
      create: (body) => post('/portals', { body }),
      update: (id, body) => patch('/portals/{id}', { params: { id }, body }),
      remove: async (id) => void (await remove('/portals/{id}', { params: { id } })),
      test: (portal, body) => post('/portals/test', { query: { portal }, body }),
      signIn: (id, username, password, code) =>
        post('/portals/{id}/session', { params: { id }, body: { username, password, code } }),
      signOut: (id) => remove('/portals/{id}/session', { params: { id } }),
      readCatalog: (id) => post('/portals/{id}/catalog', { params: { id } }),
    },
  }
}
