/** Saved requests: collections of them, and importing and exporting files. */
import type { Http } from './call'
import { explorer, type BodyOf, type Schemas } from './explorer'
import type { DraftData } from './model'

/** A collection, or a folder in one. */
export type Folder = Schemas['TreeFolder']
/** A saved request in the tree. */
export type SavedRequest = Schemas['TreeRequest']
export type SavedDraft = Schemas['Request']
/** Both lists in the order of the tree. */
export type Shelf = Schemas['Tree']
export type FileFormat = Schemas['Format']
/** The contents of a file, before it is imported. */
export type FileLook = Schemas['Contents']
/** A collection that is kept in a folder. */
export type KeptFolder = Schemas['ShownFolder']
export type KeptFolders = Schemas['FolderList']
/** The created objects, to open or delete them. */
export type Planted = Schemas['Planted']
export type FileToRead = Required<Pick<Schemas['Import'], 'name' | 'text'>>
/** A response that is kept beside a saved request. */
export type Example = Schemas['RequestExample']
/** The result of one saved request of a batch. */
export type Ran = Schemas['Ran']
export type BatchProgress = Schemas['BatchEvent']
export type BatchRun = BodyOf<'/batch', 'post'>

export interface CollectionsClient {
  collections: {
    tree(): Promise<Shelf>
    request(id: number): Promise<SavedDraft>
    createFolder(name: string, parentId: number): Promise<Folder>
    createRequest(name: string, collectionId: number, draft: DraftData): Promise<SavedDraft>
    updateFolder(id: number, change: BodyOf<'/collections/{id}', 'patch'>): Promise<Folder>
    updateRequest(id: number, change: BodyOf<'/requests/{id}', 'patch'>): Promise<SavedDraft>
    /** Moves an item into a collection, to the at-th place among items of its kind. */
    move(what: { folder: number } | { request: number }, to: number, at: number): Promise<void>
    duplicateFolder(id: number): Promise<Planted>
    /** Returns the collections that are kept in folders on disk. */
    folders(): Promise<KeptFolders>
    examples(requestId: number): Promise<Example[]>
    example(id: number): Promise<Example>
    keepExample(requestId: number, from: BodyOf<'/requests/{id}/examples', 'post'>): Promise<{ id: number }>
    exampleBody(id: number): Promise<string>
    updateExample(id: number, change: BodyOf<'/examples/{id}', 'patch'>): Promise<Example>
    deleteExample(id: number): Promise<void>
    /** Runs saved requests until it is aborted. Progress arrives as events. */
    batch(run: BatchRun, signal: AbortSignal): Promise<{ results: Ran[] }>
    /** Returns the formats of reports. */
    reports(): Promise<Schemas['ShownFormat'][]>
    /** The address of the report of the last run. */
    reportUrl(batchId: string, format: string): string
    look(file: FileToRead): Promise<FileLook>
    import(file: FileToRead, parentId: number, variables: boolean): Promise<Planted>
    /** The address of a file; without ids, it contains all collections. */
    exportUrl(format: string, what: { collections?: number[]; requests?: number[]; history?: number[] | 'all' }): string
  }
}

export function collectionsClient(http: Http): CollectionsClient {
  const { get, post, patch, remove, url } = explorer(http)
  return {
    collections: {
      tree: () => get('/collections/tree'),
      request: (id) => get('/requests/{id}', { params: { id } }),
      createFolder: (name, parentId) => post('/collections', { body: { name, parentId } }),
      createRequest: (name, collectionId, draft) => post('/requests', { body: { name, collectionId, draft } }),
      updateFolder: (id, body) => patch('/collections/{id}', { params: { id }, body }),
      updateRequest: (id, body) => patch('/requests/{id}', { params: { id }, body }),
      move: async (what, to, at) => void (await post('/collections/move', { body: { ...what, to, at } })),
      duplicateFolder: (id) => post('/collections/{id}/duplicate', { params: { id } }),
      folders: () => get('/collections/folders'),
      examples: async (requestId) =>
        (await get('/examples', { query: { filter: `requestId:${requestId}`, sort: 'id', size: 50 } })).items,
      example: (id) => get('/examples/{id}', { params: { id } }),
      keepExample: (id, body) => post('/requests/{id}/examples', { params: { id }, body }),
      exampleBody: async (id) => (await get('/examples/{id}/body', { params: { id } })).text,
      updateExample: (id, body) => patch('/examples/{id}', { params: { id }, body }),
      deleteExample: async (id) => void (await remove('/examples/{id}', { params: { id } })),
      batch: (body, signal) => post('/batch', { body, signal }),
      reports: async () => (await get('/batch/reports')).formats,
      reportUrl: (batchId, format) => url('/batch/report', { query: { batchId, format } }),
      look: (body) => post('/exchange/look', { body }),
      import: (file, parentId, variables) => post('/exchange/import', { body: { ...file, parentId, variables } }),
      exportUrl: (format, { collections, requests, history }) =>
        url('/exchange/export', {
          query: { format, collections: collections?.join(), requests: requests?.join(), history: history?.toString() },
        }),
    },
  }
}
