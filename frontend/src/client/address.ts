/** The address for programs on this computer: HTTPS, and what this computer trusts. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'

export type Address = Schemas['HttpsAddress']

export interface AddressClient {
  address: {
    state(): Promise<Address>
    set(to: { on: boolean; port: number; names: string[] }): Promise<Address>
    /** The system may prompt the user for a password before this resolves. */
    trust(): Promise<Address>
    untrust(): Promise<Address>
  }
}

export function addressClient(http: Http): AddressClient {
  const { get, post } = explorer(http)
  return {
    address: {
      state: () => get('/https'),
      set: (body) => post('/https', { body }),
      trust: () => post('/https/trust'),
      untrust: () => post('/https/untrust'),
    },
  }
}
