/** The program and its data folder as a whole: what it is, backups, restores. */
import type { Http } from './call'

export interface About {
  version: string
  /** When its source was committed, ISO; '' when it does not say. */
  built: string
  revision: string
  go: string
  /** `linux/amd64` */
  system: string
  dataFolder: string
}

export interface DataState {
  /** From the root. */
  folder: string
  bytes: number
  /** A restore is pending for the next start. */
  waits: boolean
  /** When the last restore replaced what is kept, epoch milliseconds; 0 for nothing kept. */
  replaced: number
  keptBytes: number
}

/** How far a backup or a restore is with one file, in bytes. */
export interface DataProgress {
  doing: 'copying' | 'packing' | 'sending' | 'checking' | 'unpacking'
  file: string
  done: number
  /** 0 while unknown. */
  total: number
}

/** What a backup holds. */
export interface Backup {
  /** Epoch milliseconds. */
  made: number
  /** Of the program that made it. */
  version: string
  bytes: number
  /** Whether the passwords and keys in it can be opened here. */
  sameKey: boolean
}

export interface DataClient {
  data: {
    about(): Promise<About>
    state(): Promise<DataState>
    /** Makes a backup, which can then be fetched once. */
    backup(signal: AbortSignal): Promise<{ name: string; bytes: number }>
    backupUrl: string
    diagnosticsUrl: string
    /** Sends a piece of a backup; `at` bytes of it came before. */
    part(at: number, piece: Blob, signal: AbortSignal): Promise<void>
    /** Checks the uploaded backup. */
    look(name: string, signal: AbortSignal): Promise<Backup>
    /** Restores the uploaded backup at the next start. */
    restore(name: string, withoutKey: boolean, signal: AbortSignal): Promise<DataState>
    takeBack(): Promise<DataState>
    /** Makes what the last restore replaced ready in turn. */
    undo(): Promise<DataState>
    forget(): Promise<DataState>
    openFolder(): Promise<void>
    restart(): Promise<void>
    /** The licences of all parts; '' in a build without them. */
    licences(): Promise<string>
  }
}

export function dataClient({ json, ask }: Http): DataClient {
  const post = <T>(path: string, body?: unknown, signal?: AbortSignal) =>
    json<T>(`/explorer${path}`, { method: 'POST', body: body ?? {}, signal })
  const remove = <T>(path: string) => json<T>(`/explorer${path}`, { method: 'DELETE' })
  return {
    data: {
      about: () => json('/explorer/about'),
      state: () => json('/explorer/data'),
      backup: (signal) => post('/data/backup', undefined, signal),
      backupUrl: '/explorer/data/backup',
      diagnosticsUrl: '/explorer/data/diagnostics',
      part: async (at, piece, signal) => {
        const form = new FormData()
        form.set('part', piece)
        await ask(`/explorer/data/restore/parts?at=${at}`, { method: 'POST', form, signal })
      },
      look: (name, signal) => post('/data/restore/look', { name }, signal),
      restore: (name, withoutKey, signal) => post('/data/restore', { name, withoutKey }, signal),
      takeBack: () => remove('/data/restore'),
      undo: () => post('/data/restore/undo'),
      forget: () => remove('/data/replaced'),
      openFolder: () => post('/native/open-folder'),
      restart: () => post('/native/restart'),
      licences: async () => {
        const text = await (await ask('/licences.txt')).text()
        return text.startsWith('<') ? '' : text
      },
    },
  }
}
