/** Portals: the built-in one, and remote ones by address. */
import type { Http } from './call'

/** The built-in portal is a demo, or local. */
export type Environment = 'production' | 'staging' | 'test' | 'demo' | 'local'
export type Auth = 'session' | 'token' | 'lmv1' | 'none'

export interface Portal {
  /** 0 is the built-in portal. */
  id: number
  name: string
  baseUrl: string
  address: string
  demo: boolean
  instance: string
  remote: boolean
  environment: Environment
  auth: Auth
  account: string
  /** Stars when one is kept. */
  secret: string
  /** The signed-in user, '' for none. */
  user: string
  readOnly: boolean
  /** Seconds. */
  timeout: number
  /** Certificates, PEM. */
  authority: string
  /** SHA-256 of the one certificate that is accepted as it is. */
  fingerprint: string
  /** system, none or an address. */
  proxy: string
  proxyPassword: string
  /** Whether a person lets the credential go in clear over http:// to another machine. */
  sendInClear: boolean
  catalogUrl: string
  /** '' if the built-in catalog is used. */
  catalogFrom: string
  /** Milliseconds since the epoch. */
  catalogAt: number
}

/** What a person says of a remote portal. */
export type PortalData = Pick<
  Portal,
  | 'name'
  | 'baseUrl'
  | 'environment'
  | 'auth'
  | 'account'
  | 'secret'
  | 'readOnly'
  | 'timeout'
  | 'authority'
  | 'fingerprint'
  | 'proxy'
  | 'proxyPassword'
  | 'sendInClear'
  | 'catalogUrl'
>

export interface Tried {
  ms: number
  status: number
  version: string
  user: string
  /** What to know, or ''. */
  sentence: string
  ok: boolean
}

export interface Certificate {
  fingerprint: string
  subject: string
  issuer: string
  notBefore: number
  notAfter: number
  names: string[]
}

export interface PortalsClient {
  portals: {
    all(): Promise<Portal[]>
    create(data: PortalData): Promise<{ id: number }>
    update(id: number, change: Partial<PortalData>): Promise<{ id: number }>
    remove(id: number): Promise<void>
    /** Asks the portal `id` with what is described otherwise; of 0, everything is. */
    test(id: number, data: Partial<PortalData>): Promise<Tried>
    signIn(id: number, username: string, password: string): Promise<Portal>
    signOut(id: number): Promise<Portal>
    /** Reloads its catalog. */
    readCatalog(id: number): Promise<Portal>
  }
}

export function portalsClient({ json, ask }: Http): PortalsClient {
  const path = '/explorer/portals'
  return {
    portals: {
      all: async () => (await json<{ items: Portal[] }>(`${path}/all`)).items,
      create: (data) => json(path, { method: 'POST', body: data }),
      update: (id, change) => json(`${path}/${id}`, { method: 'PATCH', body: change }),
      remove: async (id) => void (await ask(`${path}/${id}`, { method: 'DELETE' })),
      test: (id, data) => json(`${path}/test?portal=${id}`, { method: 'POST', body: data }),
      signIn: (id, username, password) =>
        json(`${path}/${id}/session`, { method: 'POST', body: { username, password } }),
      signOut: (id) => json(`${path}/${id}/session`, { method: 'DELETE' }),
      readCatalog: (id) => json(`${path}/${id}/catalog`, { method: 'POST' }),
    },
  }
}
