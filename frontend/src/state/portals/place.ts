import type { Client, Portal } from '../../client'
import { Catalog } from '../catalog/catalog.svelte'
import { Lookups } from '../request/lookups'
import { Workspace } from '../tabs/workspace.svelte'

/** The state of one portal. It stays, with its running requests, while another portal is shown. */
export interface Place {
  readonly id: number
  readonly client: Client
  readonly catalog: Catalog
  readonly lookups: Lookups
  readonly workspace: Workspace
  /** Whether its tabs are loaded. */
  restored: boolean
}

export function newPlace(id: number, client: Client, bases: () => string[]): Place {
  const catalog = new Catalog(client)
  return {
    id,
    client,
    catalog,
    lookups: new Lookups(client),
    workspace: new Workspace(client, catalog, bases),
    restored: false,
  }
}

/** Placeholder until a portal is loaded. */
export const nowhere: Portal = {
  id: 0,
  name: '',
  baseUrl: '',
  address: '',
  demo: false,
  instance: '',
  remote: false,
  environment: 'production',
  auth: 'session',
  account: '',
  secret: '',
  user: '',
  readOnly: false,
  timeout: 60,
  authority: '',
  fingerprint: '',
  proxy: 'system',
  proxyPassword: '',
  sendInClear: false,
  catalogUrl: '',
  catalogFrom: '',
  catalogAt: 0,
}
