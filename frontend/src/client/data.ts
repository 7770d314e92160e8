/** The program and its data folder as a whole: what it is, backups, restores. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'

export type About = Schemas['About']
export type DataState = Schemas['FolderState']
/** How far a backup or a restore is with one file, in bytes; sending is what the page does. */
export type DataProgress = Omit<Schemas['DataEvent'], 'doing'> & { doing: Schemas['DataEvent']['doing'] | 'sending' }
/** What a backup holds. */
export type Backup = Schemas['SentBackup']

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
    /** Checks what was sent. */
    look(name: string, signal: AbortSignal): Promise<Backup>
    /** Makes what was sent ready for the next start. */
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

export function dataClient(http: Http): DataClient {
  const { get, post, remove, url } = explorer(http)
  return {
    data: {
      about: () => get('/about'),
      state: () => get('/data'),
      backup: (signal) => post('/data/backup', { signal }),
      backupUrl: url('/data/backup'),
      diagnosticsUrl: url('/data/diagnostics'),
      part: async (at, piece, signal) => {
        const form = new FormData()
        form.set('part', piece)
        await post('/data/restore/parts', { query: { at }, form, signal })
      },
      look: (name, signal) => post('/data/restore/look', { body: { name }, signal }),
      restore: (name, withoutKey, signal) => post('/data/restore', { body: { name, withoutKey }, signal }),
      takeBack: () => remove('/data/restore'),
      undo: () => post('/data/restore/undo'),
      forget: () => remove('/data/replaced'),
      openFolder: async () => void (await post('/native/open-folder')),
      restart: async () => void (await post('/native/restart')),
      licences: async () => {
        const text = await (await http.ask('/licences.txt')).text()
        return text.startsWith('<') ? '' : text
      },
    },
  }
}
