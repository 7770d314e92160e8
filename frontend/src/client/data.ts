/** The program and its data folder: version, backups, restores. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'

export type About = Schemas['About']
export type DataState = Schemas['FolderState']
/** The newest version, as its publisher has signed it. */
export type Newest = Schemas['Newest']
/**
 * The progress of a backup or a restore with one file, in bytes. Sending is an upload by the page.
 */
export type DataProgress = Omit<Schemas['DataEvent'], 'doing'> & { doing: Schemas['DataEvent']['doing'] | 'sending' }
/** The contents of a backup. */
export type Backup = Schemas['SentBackup']

export interface DataClient {
  data: {
    about(): Promise<About>
    /** Sends a request to the publisher over the network; downloads and installs nothing. */
    checkUpdates(): Promise<Newest>
    state(): Promise<DataState>
    /** Creates a backup, which can be downloaded once. */
    backup(signal: AbortSignal): Promise<{ name: string; bytes: number }>
    backupUrl: string
    diagnosticsUrl: string
    /** Uploads a part of a backup; `at` is the number of bytes before it. */
    part(at: number, piece: Blob, signal: AbortSignal): Promise<void>
    /** Checks the uploaded backup. */
    look(name: string, signal: AbortSignal): Promise<Backup>
    /** Prepares the uploaded backup for a restore at the next start. */
    restore(name: string, withoutKey: boolean, signal: AbortSignal): Promise<DataState>
    takeBack(): Promise<DataState>
    /** Prepares the data that the last restore replaced to be restored. */
    undo(): Promise<DataState>
    forget(): Promise<DataState>
    openFolder(): Promise<void>
    restart(): Promise<void>
    /** The licences of all parts; '' if the build has none. */
    licences(): Promise<string>
  }
}

export function dataClient(http: Http): DataClient {
  const { get, post, remove, url } = explorer(http)
  return {
    data: {
      about: () => get('/about'),
      checkUpdates: () => post('/updates'),
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
        const text = await (await http.request('/licences.txt')).text()
        return text.startsWith('<') ? '' : text
      },
    },
  }
}
