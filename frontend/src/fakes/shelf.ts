/** Collections without a portal: a few folders and requests in memory. */
import { emptyDraft } from '../state/request/draft.svelte'
import type { Client } from '../client'
import type { Folder, SavedDraft } from '../client/collections'

export function fakeShelf(): Client['collections'] {
  let last = 4
  let folders: (Folder & { trashed: number })[] = [
    { id: 1, parentId: 0, name: 'Fleet checks', doc: '', trashed: 0 },
    { id: 2, parentId: 1, name: 'Writes', doc: '', trashed: 0 },
  ]
  let requests: SavedDraft[] = [
    {
      id: 3,
      collectionId: 1,
      position: 0,
      name: 'Dead devices',
      method: 'GET',
      path: '/device/devices',
      doc: '',
      draft: { ...emptyDraft(), path: '/device/devices' },
      trashed: 0,
    },
    {
      id: 4,
      collectionId: 2,
      position: 0,
      name: '',
      method: 'POST',
      path: '/sdt/sdts',
      doc: '',
      draft: { ...emptyDraft(), method: 'POST', path: '/sdt/sdts' },
      trashed: 0,
    },
  ]
  const insert = <T extends { id: number }>(all: T[], item: T, beside: (i: T) => boolean, at: number): T[] => {
    const rest = all.filter((i) => i.id !== item.id)
    const next = rest.filter(beside)[at]
    rest.splice(next ? rest.indexOf(next) : rest.length, 0, item)
    return rest
  }
  return {
    tree: async () => {
      const alive = folders.filter((f) => !f.trashed)
      return structuredClone({
        folders: alive,
        requests: requests.filter((r) => !r.trashed && alive.some((f) => f.id === r.collectionId)),
      })
    },
    request: async (id) => structuredClone(requests.find((r) => r.id === id)!),
    folders: async () => ({ items: [], base: '' }),
    createFolder: async (name, parentId) => {
      const folder = { id: ++last, parentId, name, doc: '', trashed: 0 }
      folders.push(folder)
      return { ...folder }
    },
    createRequest: async (name, collectionId, draft) => {
      const request = {
        id: ++last,
        collectionId,
        position: 0,
        name,
        method: draft.method,
        path: draft.path,
        doc: '',
        draft: structuredClone(draft),
        trashed: 0,
      }
      requests.push(request)
      return structuredClone(request)
    },
    updateFolder: async (id, change) =>
      Object.assign(
        folders.find((f) => f.id === id)!,
        change,
      ),
    updateRequest: async (id, change) => {
      const request = Object.assign(
        requests.find((r) => r.id === id)!,
        change,
      )
      if (change.draft) Object.assign(request, { method: change.draft.method, path: change.draft.path })
      return structuredClone(request)
    },
    move: async (what, to, at) => {
      if ('folder' in what) {
        const folder = Object.assign(
          folders.find((f) => f.id === what.folder)!,
          { parentId: to },
        )
        folders = insert(folders, folder, (f) => f.parentId === to, at)
      } else {
        const request = Object.assign(
          requests.find((r) => r.id === what.request)!,
          { collectionId: to },
        )
        requests = insert(requests, request, (r) => r.collectionId === to, at)
      }
    },
    examples: async () => [],
    example: async () => Promise.reject(new Error('there are no examples')),
    keepExample: async () => ({ id: 1 }),
    exampleBody: async () => '',
    updateExample: async () => Promise.reject(new Error('there are no examples')),
    deleteExample: async () => {},
    duplicateFolder: async () => ({ collections: [], variables: [], requests: 0, environments: [] }),
    batch: async () => ({ results: [] }),
    reports: async () => [],
    reportUrl: () => '',
    look: async () => ({
      format: 'spyglass',
      label: 'Spyglass',
      folders: 0,
      requests: 0,
      variables: [],
      environments: [],
      secrets: [],
      notes: [],
      lines: [],
    }),
    import: async () => ({ collections: [], variables: [], requests: 0, environments: [] }),
    exportUrl: (format) => `#${format}`,
  }
}
