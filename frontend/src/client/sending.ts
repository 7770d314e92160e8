/** Sending with more than one request: all pages of a list, the effect of a write, and undo. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'
import type { DraftData, Reply } from './model'

/** A run through pages in progress. */
export type PagesProgress = Schemas['PagesEvent']
/** A list that was saved to a file. */
export type SavedFile = Schemas['SavedFile']
export type PagesRequest = Schemas['Pages']
export type FileFormat = Exclude<PagesRequest['file'], '' | undefined>
export type FieldChange = Schemas['FieldChange']
/** The effect of a write on the current object. */
export type Changes = Schemas['Differences']
/** The objects that are deleted with an object. */
export type Goes = Schemas['Gone']
export type Undone = Schemas['Undone']

export interface SendingClient {
  /**
   * Resolves when all pages have arrived. A run to a file returns a response of the portal if its
   * first page is not a page.
   */
  pages(request: PagesRequest, signal: AbortSignal): Promise<Reply | { saved: SavedFile }>
  /** The address from which to download the file of a run while it continues. */
  pagesFileUrl(sendId: string): string
  steer(sendId: string, what: 'pause' | 'resume' | 'stop'): Promise<void>
  changes(draft: DraftData, signal?: AbortSignal): Promise<Changes>
  goes(draft: DraftData, signal?: AbortSignal): Promise<Goes>
  /** Undoes a write of the history. Rejects with a Fault that says why it cannot. */
  undo(historyId: number): Promise<Undone>
  /** Returns the writes that can be undone, with the effect of undoing. */
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
