/** What goes on around sending: all pages of a list, what a write would change, and the way back. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'
import type { DraftData, Reply } from './model'

/** A run through pages while it is under way. */
export type PagesProgress = Schemas['PagesEvent']
/** A list that went to a file. */
export type SavedFile = Schemas['SavedFile']
export type PagesRequest = Schemas['Pages']
export type FileFormat = Exclude<PagesRequest['file'], '' | undefined>
export type FieldChange = Schemas['FieldChange']
/** What a write would do to the object as it is now. */
export type Changes = Schemas['Differences']
/** What goes with an object that is deleted. */
export type Goes = Schemas['Gone']
export type Undone = Schemas['Undone']

export interface SendingClient {
  /** Resolves when all is there; a run to a file is still a response of the portal where its first page is none. */
  pages(request: PagesRequest, signal: AbortSignal): Promise<Reply | { saved: SavedFile }>
  /** Where the file of a run is fetched while the run goes on. */
  pagesFileUrl(sendId: string): string
  steer(sendId: string, what: 'pause' | 'resume' | 'stop'): Promise<void>
  changes(draft: DraftData, signal?: AbortSignal): Promise<Changes>
  goes(draft: DraftData, signal?: AbortSignal): Promise<Goes>
  /** Takes back a write of the history. Rejects with a Fault that says why it cannot. */
  undo(historyId: number): Promise<Undone>
  /** Writes that can be taken back, and what that does. */
  undos(): Promise<Schemas['Undoables']>
}

export function sendingClient(http: Http): SendingClient {
  const { get, post, url } = explorer(http)
  return {
    pages: (body, signal) => post('/pages', { body, signal }),
    steer: async (sendId, what) =>
      void (await post('/pages/{sendId}/steer', { params: { sendId }, body: { do: what } })),
    changes: (draft, signal) => post('/changes', { body: { draft }, signal }),
    goes: (draft, signal) => post('/goes', { body: { draft }, signal }),
    undo: (historyId) => post('/history/{id}/undo', { params: { id: historyId } }),
    undos: () => get('/undos'),
    pagesFileUrl: (sendId) => url('/pages/{sendId}/file', { params: { sendId } }),
  }
}
