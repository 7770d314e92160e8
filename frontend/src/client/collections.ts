/** Saved requests: collections of them, and files they come from and go to. */
import type { DraftData, Method } from './model'
import type { Http } from './call'

/** A collection, or a folder in one. */
export interface Folder {
  id: number
  /** 0 for a collection. */
  parentId: number
  name: string
  doc: string
}

/** A saved request as the tree shows it. */
export interface SavedRequest {
  id: number
  collectionId: number
  /** '' follows method and path. */
  name: string
  method: Method
  path: string
}

export interface SavedDraft extends SavedRequest {
  doc: string
  draft: DraftData
}

/** Both lists in the order of the tree. */
export interface Shelf {
  folders: Folder[]
  requests: SavedRequest[]
}

export interface FileFormat {
  id: string
  label: string
  ext: string
  /** Whether collections can be written in it. */
  writes: boolean
}

/** The contents of a file, before it is imported. */
export interface FileLook {
  format: string
  label: string
  folders: number
  requests: number
  variables: string[]
  /** Those of the variables that become secret ones. */
  secrets: string[]
  /** What was not imported, or was changed. */
  notes: string[]
  /** The first 200. */
  lines: { level: number; name: string; method?: Method; path?: string }[]
}

/** The imported objects, to open them or to undo the import. */
export interface Planted {
  /** The outermost ones. */
  collections: number[]
  variables: number[]
  requests: number
}

export interface FileToRead {
  name: string
  text: string
}

/** How one saved request of a batch went. */
export interface Ran {
  /** Of the saved request. */
  id: number
  name: string
  method: Method
  path: string
  /** 0 for no response. */
  status: number
  ms: number
  /** 0 when it was not sent. */
  historyId: number
  /** One sentence; '' when it went well. */
  problem: string
}

export interface BatchProgress {
  batchId: string
  /** From 0. */
  at: number
  result: Ran
}

type FolderChange = Partial<Pick<Folder, 'name' | 'doc'>> & { trashed?: number }
type RequestChange = Partial<Pick<SavedDraft, 'name' | 'doc' | 'draft'>> & { trashed?: number }

export interface CollectionsClient {
  collections: {
    tree(): Promise<Shelf>
    request(id: number): Promise<SavedDraft>
    createFolder(name: string, parentId: number): Promise<Folder>
    createRequest(name: string, collectionId: number, draft: DraftData): Promise<SavedDraft>
    updateFolder(id: number, change: FolderChange): Promise<Folder>
    updateRequest(id: number, change: RequestChange): Promise<SavedDraft>
    /** Puts one of them into a collection, as the at-th of its kind there. */
    move(what: { folder: number } | { request: number }, to: number, at: number): Promise<void>
    duplicateFolder(id: number): Promise<Planted>
    /** Sends saved requests one after the other; aborting ends it. Progress comes as events. */
    batch(batchId: string, ids: number[], goOn: boolean, signal: AbortSignal): Promise<{ results: Ran[] }>
    formats(): Promise<FileFormat[]>
    look(file: FileToRead): Promise<FileLook>
    import(file: FileToRead, parentId: number, variables: boolean): Promise<Planted>
    /** The address of a file; no ids at all are all collections. */
    exportUrl(format: string, what: { collections?: number[]; requests?: number[]; history?: number[] | 'all' }): string
  }
}

export function collectionsClient({ json }: Http): CollectionsClient {
  const at = (what: 'collections' | 'requests', id: number) => `/explorer/${what}/${id}`
  const post = <T>(path: string, body?: unknown) => json<T>(path, { method: 'POST', body })
  const patch = <T>(path: string, body: unknown) => json<T>(path, { method: 'PATCH', body })
  return {
    collections: {
      tree: () => json('/explorer/collections/tree'),
      request: (id) => json(at('requests', id)),
      createFolder: (name, parentId) => post('/explorer/collections', { name, parentId }),
      createRequest: (name, collectionId, draft) => post('/explorer/requests', { name, collectionId, draft }),
      updateFolder: (id, change) => patch(at('collections', id), change),
      updateRequest: (id, change) => patch(at('requests', id), change),
      move: async (what, to, place) => void (await post('/explorer/collections/move', { ...what, to, at: place })),
      duplicateFolder: (id) => post(`${at('collections', id)}/duplicate`),
      batch: (batchId, ids, goOn, signal) =>
        json('/explorer/batch', { method: 'POST', body: { batchId, ids, goOn }, signal }),
      formats: () => json('/explorer/exchange/formats'),
      look: (file) => post('/explorer/exchange/look', file),
      import: (file, parentId, variables) => post('/explorer/exchange/import', { ...file, parentId, variables }),
      exportUrl: (format, what) => {
        const query = new URLSearchParams({ format })
        for (const [name, ids] of Object.entries(what)) query.set(name, String(ids))
        return `/explorer/exchange/export?${query}`
      },
    },
  }
}
