/** The address for programs of the fake client. */
import type { Address, AddressClient } from '../client/address'

export function fakeAddress(): AddressClient {
  const state: Address = {
    on: false,
    port: 8443,
    names: [],
    switchable: true,
    problem: '',
    addresses: ['https://127.0.0.1:8443'],
    hostsFile: '/etc/hosts',
    hostsLine: '',
    elsewhere: [],
    authority: '',
    expires: 0,
    stores: [],
  }
  const say = async () => structuredClone(state)
  const trusted = (trusted: boolean) => {
    state.stores = [{ name: 'This computer', trusted, problem: '', command: trusted ? '' : 'sudo install ca' }]
    return say()
  }
  return {
    address: {
      state: say,
      set: (to) => {
        Object.assign(state, to)
        state.addresses = [...to.names, '127.0.0.1'].map((host) => `https://${host}:${to.port}`)
        state.hostsLine = to.names.length ? `127.0.0.1 ${to.names.join(' ')}` : ''
        if (to.on) state.authority = '/home/u/.local/share/spyglass/https/authority.crt'
        return to.on ? trusted(false) : say()
      },
      trust: () => trusted(true),
      untrust: () => trusted(false),
    },
  }
}
