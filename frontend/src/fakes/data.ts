/** The data folder of the fake client. */
import type { DataClient, DataState } from '../client/data'

export function fakeData(): DataClient {
  const state: DataState = {
    folder: '/home/u/.local/share/spyglass',
    bytes: 12_300_000,
    waits: false,
    replaced: 0,
    keptBytes: 0,
  }
  const say = async () => ({ ...state })
  return {
    data: {
      about: async () => ({
        version: '0.1.0',
        built: '2026-11-22T10:00:00Z',
        revision: 'ab12',
        go: 'go1.26',
        system: 'linux/amd64',
        dataFolder: '~/.local/share/spyglass',
        updates: true,
      }),
      checkUpdates: async () => ({ version: '0.2.0', link: 'https://example.net/spyglass', newer: true }),
      state: say,
      backup: async () => ({ name: 'spyglass-2026-11-22.backup', bytes: 4_000_000 }),
      backupUrl: '#backup',
      diagnosticsUrl: '#diagnostics',
      part: async () => {},
      look: async () => ({ made: 1_790_000_000_000, version: '0.1.0', bytes: 12_000_000, sameKey: true }),
      restore: () => ((state.waits = true), say()),
      takeBack: () => ((state.waits = false), say()),
      undo: () => ((state.waits = true), say()),
      forget: () => ((state.replaced = state.keptBytes = 0), say()),
      openFolder: async () => {},
      restart: async () => {},
      licences: async () => '',
    },
  }
}
