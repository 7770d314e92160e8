/** What goes on around sending: all pages of a list, what a write would change, and the way back. */
import type { Http } from './call'
import type { DraftData, Quota, Reply, RunReport } from './model'

/** A run through pages while it is under way. */
export interface PagesProgress {
  sendId: string
  /** `ready` once, when a run to a file waits for its file to be fetched. */
  state: 'running' | 'paused' | 'waiting' | 'ready'
  /** Pages that came. */
  page: number
  /** 0 when not known. */
  pages: number
  items: number
  total: number | null
  ms: number
  /** Milliseconds that the portal's quota asks to wait. */
  wait: number
  /** As the last answer said it. */
  quota: Quota | null
}

/** A list that went to a file. */
export interface SavedFile {
  name: string
  bytes: number
  historyId: number
  run: RunReport
}

export type FileFormat = 'csv' | 'ndjson' | 'json'

export interface PagesRequest {
  sendId: string
  tabId: number
  draft: DraftData
  anyway: boolean
  /** Pages as large as the portal allows. */
  largest: boolean
  /** The document of a run that ended early, or ''. */
  resume: string
  /** Write to a file in place of the screen, with this name. */
  file?: FileFormat
  name?: string
}

export interface FieldChange {
  name: string
  kind: 'set' | 'changed' | 'cleared' | 'same' | 'readOnly' | 'unknown'
  /** JSON, cut when long; '' for none. */
  was: string
  now: string
}

/** What a write would do to the object as it is now. */
export interface Changes {
  name: string
  fields: FieldChange[]
}

/** What goes with an object that is deleted. */
export interface Goes {
  /** What kind of thing it is, `maintenance window`; '' when the catalog does not say. */
  noun: string
  name: string
  /** The path as it would go out, with its query. */
  path: string
  below: { label: string; count: number }[]
  /** Whether counting took too long. */
  late: boolean
  /** Whether the portal keeps it in a recycle bin. */
  bin: boolean
}

export interface Undone {
  message: string
  historyId: number
}

export interface SendingClient {
  /** Answers when all is there; a run to a file still is an answer of the portal where its first page is none. */
  pages(request: PagesRequest, signal: AbortSignal): Promise<Reply | { saved: SavedFile }>
  /** Where the file of a run is fetched while the run goes on. */
  pagesFileUrl(sendId: string): string
  steer(sendId: string, what: 'pause' | 'resume' | 'stop'): Promise<void>
  changes(draft: DraftData, signal?: AbortSignal): Promise<Changes>
  goes(draft: DraftData, signal?: AbortSignal): Promise<Goes>
  /** Takes back a write of the history. Rejects with a Fault that says why it cannot. */
  undo(historyId: number): Promise<Undone>
  /** Writes that can be taken back, and what that does. */
  undos(): Promise<{ items: { historyId: number; undo: string }[] }>
}

export function sendingClient({ json, ask }: Http): SendingClient {
  return {
    pages: (request, signal) => json('/explorer/pages', { method: 'POST', body: request, signal }),
    steer: async (sendId, what) =>
      void (await ask(`/explorer/pages/${encodeURIComponent(sendId)}/steer`, { method: 'POST', body: { do: what } })),
    changes: (draft, signal) => json('/explorer/changes', { method: 'POST', body: { draft }, signal }),
    goes: (draft, signal) => json('/explorer/goes', { method: 'POST', body: { draft }, signal }),
    undo: (historyId) => json(`/explorer/history/${historyId}/undo`, { method: 'POST', body: {} }),
    undos: () => json('/explorer/undos'),
    pagesFileUrl: (sendId) => `/explorer/pages/${encodeURIComponent(sendId)}/file`,
  }
}
