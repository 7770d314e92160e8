import { asFault, type Client, type DraftData, type Fault } from '../../client'
import type { Folder, KeptFolder, Ran, SavedDraft, SavedRequest } from '../../client/collections'
import { rank } from '../../ui/fuzzy'
import type { Batch } from './batch.svelte'
import { text } from './text'

/** One visible line of the collections. */
export type Item =
  | { kind: 'folder'; key: string; folder: Folder; level: number; open: boolean; count: number; path: string }
  | { kind: 'request'; key: string; request: SavedRequest; level: number; path: string }

/** Returns the name in the tree; '' for a deleted request of a batch. */
export const nameOf = (r: Pick<Ran, 'name' | 'method' | 'path'>) => r.name || (r.method && `${r.method} ${r.path}`)

/** All collections: the tree without drafts, and its actions. */
export class Library {
  folders = $state.raw<Folder[]>([])
  requests = $state.raw<SavedRequest[]>([])
  /** The collections that are kept in folders on disk. */
  kept = $state.raw<KeptFolder[]>([])
  fault = $state.raw<Fault>()
  loaded = $state(false)
  /** The initial selection of the dialog that keeps a collection in a folder; 0 for none. */
  toKeep = $state(0)
  /** The collection whose menu opened the share dialog; 0 if the user selects it in the dialog. */
  toShare = $state(0)
  /** The initial selection of an export; empty for everything. */
  selected = $state.raw<Item[]>([])
  /** Input of an import: dropped files, and the target collection, 0 for the top level. */
  brought = $state.raw<{ files?: File[]; into: number }>({ into: 0 })
  /** The current or last batch. */
  batch = $state.raw<Batch>()
  readonly #inside = $derived.by(() => {
    return {
      folders: grouped(this.folders, (f) => f.parentId),
      requests: grouped(this.requests, (r) => r.collectionId),
    }
  })
  #loading: Promise<void> | undefined
  #next: Promise<void> | undefined
  readonly #saving = new Map<number, Promise<SavedDraft>>()

  constructor(readonly client: Pick<Client, 'collections'>) {}

  /** Reloads everything. A call during a reload waits for the next one, because the current one may lack its change. */
  load(): Promise<void> {
    if (!this.#loading) return (this.#loading = this.#load().finally(() => (this.#loading = undefined)))
    return (this.#next ??= this.#loading.then(() => {
      this.#next = undefined
      return this.load()
    }))
  }

  async #load() {
    try {
      const { collections } = this.client
      const [{ folders, requests }, kept] = await Promise.all([collections.tree(), collections.folders()])
      const others = folders.some((f) => f.owner)
      this.folders = others ? (await import('./owners')).byOwner(folders) : folders
      this.requests = requests
      this.kept = kept.items
      this.fault = undefined
      this.loaded = true
    } catch (e) {
      this.fault = asFault(e)
    }
  }

  foldersIn(id: number): Folder[] {
    return this.#inside.folders.get(id) ?? []
  }

  requestsIn(id: number): SavedRequest[] {
    return this.#inside.requests.get(id) ?? []
  }

  /** Returns the rows to show: folders first, expanded ones with their contents. */
  items(open: ReadonlySet<number>): Item[] {
    const items: Item[] = []
    const walk = (parent: number, level: number, path: string) => {
      for (const folder of this.foldersIn(parent)) {
        const isOpen = folder.id < 0 || open.has(folder.id)
        const count = this.foldersIn(folder.id).length + this.requestsIn(folder.id).length
        items.push({ kind: 'folder', key: `f${folder.id}`, folder, level, open: isOpen, count, path })
        if (isOpen) walk(folder.id, level + 1, path ? `${path} / ${folder.name}` : folder.name)
      }
      items.push(
        ...this.requestsIn(parent).map((request): Item => ({
          kind: 'request',
          key: `r${request.id}`,
          request,
          level,
          path,
        })),
      )
    }
    walk(0, 1, '')
    return items
  }

  /** Returns the requests that match, best first. */
  search(query: string): Item[] {
    const found = rank(query, this.requests, (r) => [nameOf(r), `${r.method} ${r.path}`, this.pathOf(r.collectionId)])
    return found.slice(0, 500).map(({ item: request }): Item => ({
      kind: 'request',
      key: `r${request.id}`,
      request,
      level: 1,
      path: this.pathOf(request.collectionId),
    }))
  }

  /** Returns the path of a folder: `Fleet / Writes`. */
  pathOf(id: number): string {
    const names: string[] = []
    for (let folder = this.folder(id); folder; folder = this.folder(folder.parentId)) names.unshift(folder.name)
    return names.join(' / ')
  }

  /** Returns the folder on disk in which a collection, or one around it, is kept. */
  keptIn(id: number): KeptFolder | undefined {
    for (let folder = this.folder(id); folder; folder = this.folder(folder.parentId)) {
      const kept = this.kept.find((k) => k.collectionId === folder!.id)
      if (kept) return kept
    }
    return undefined
  }

  folder(id: number): Folder | undefined {
    return this.folders.find((f) => f.id === id)
  }

  /** Returns every folder with its path, to choose from. */
  places(): { id: number; path: string }[] {
    return this.folders.filter((f) => this.mayAdd(f.id)).map((f) => ({ id: f.id, path: this.pathOf(f.id) }))
  }

  /** Whether the user may change the contents of a folder. */
  mayAdd(id: number): boolean {
    return id >= 0 && !this.folder(id)?.locked
  }

  /** Returns a number for each owner; 0 for the user. */
  ownerOf(id: number): number {
    let folder = this.folder(id)
    while (folder?.parentId) {
      if (folder.parentId < 0) return folder.parentId
      folder = this.folder(folder.parentId)
    }
    return Math.min(folder?.id ?? 0, 0)
  }

  async createFolder(name: string, parentId: number): Promise<Folder> {
    const folder = await this.client.collections.createFolder(name, parentId)
    await this.load()
    return folder
  }

  async createRequest(name: string, collectionId: number, draft: DraftData): Promise<SavedDraft> {
    const request = await this.client.collections.createRequest(name, collectionId, draft)
    await this.load()
    return request
  }

  /** Overwrites a saved request, and restores it from the recycle bin. */
  async save(
    id: number,
    name: string,
    draft: DraftData,
    update = this.client.collections.updateRequest,
  ): Promise<SavedDraft> {
    const saving = update(id, { draft, name, trashed: 0 })
    this.#saving.set(id, saving)
    try {
      const request = await saving
      await this.load()
      return request
    } finally {
      if (this.#saving.get(id) === saving) this.#saving.delete(id)
    }
  }

  /** Returns a complete saved request, after a running save has ended. */
  async request(id: number): Promise<SavedDraft> {
    await this.#saving.get(id)?.catch(() => {}) // the save reports its own errors
    return this.client.collections.request(id)
  }

  async rename(item: Item, name: string) {
    if (item.kind === 'folder') await this.client.collections.updateFolder(item.folder.id, { name })
    else
      await this.client.collections.updateRequest(item.request.id, {
        name: name === `${item.request.method} ${item.request.path}` ? '' : name,
      })
    await this.load()
  }

  /** Returns the rows of these keys, from top to bottom, without the contents of selected folders. */
  chosen(keys: ReadonlySet<string>): Item[] {
    if (keys.size === 0) return []
    let within = Infinity
    return this.items(new Set(this.folders.map((f) => f.id))).filter((item) => {
      if (item.level > within) return false
      const mine = keys.has(item.key)
      within = mine && item.kind === 'folder' ? item.level : Infinity
      return mine
    })
  }

  /** Returns all requests in these items, in the order of the tree. */
  requestsOf(items: Item[]): SavedRequest[] {
    const inside = (id: number): SavedRequest[] => [
      ...this.foldersIn(id).flatMap((f) => inside(f.id)),
      ...this.requestsIn(id),
    ]
    return items.flatMap((i) => (i.kind === 'folder' ? inside(i.folder.id) : [i.request]))
  }

  /** Moves items to the recycle bin; false restores them. */
  async trash(items: Item[], away = true) {
    const change = { trashed: away ? Date.now() : 0 }
    try {
      for (const item of items) {
        if (item.kind === 'folder') await this.client.collections.updateFolder(item.folder.id, change)
        else await this.client.collections.updateRequest(item.request.id, change)
      }
    } finally {
      await this.load()
    }
  }

  /** Moves them to the end of a collection; all or none. Returns a function that undoes the move. */
  async moveAll(items: Item[], to: number): Promise<() => Promise<void>> {
    const was = items.map((item) => this.#spot(item))
    let moved = 0
    const back = async () => {
      try {
        for (const w of was.slice(0, moved)) await this.client.collections.move(w.what, w.parent, w.at)
      } finally {
        await this.load()
      }
    }
    try {
      for (; moved < was.length; moved++) await this.client.collections.move(was[moved].what, to, 1e6)
    } catch (e) {
      await back()
      throw e
    }
    await this.load()
    return back
  }

  /** Returns the collections that all of them can move to: no folder into itself. */
  placesFor(items: Item[]): { id: number; path: string }[] {
    const own = new Set(items.flatMap((i) => (i.kind === 'folder' ? [i.folder.id] : [])))
    const inOwn = (folder: Folder | undefined): boolean =>
      !!folder && (own.has(folder.id) || inOwn(this.folder(folder.parentId)))
    const owner = items.length ? this.ownerOf(homeOf(items[0])) : 0
    const places = this.places().filter((p) => !inOwn(this.folder(p.id)) && this.ownerOf(p.id) === owner)
    if (owner) return places
    return own.size === items.length ? [{ id: 0, path: text.library.besideAllCollections }, ...places] : places
  }

  async duplicate(item: Item) {
    if (item.kind === 'folder') await this.client.collections.duplicateFolder(item.folder.id)
    else {
      const { name, draft, collectionId } = await this.client.collections.request(item.request.id)
      const copy = await this.client.collections.createRequest(name && `${name} copy`, collectionId, draft)
      const at = this.requestsIn(collectionId).findIndex((r) => r.id === item.request.id)
      await this.client.collections.move({ request: copy.id }, collectionId, at + 1)
    }
    await this.load()
  }

  /** Moves an item before or after another one of its kind. Returns a function that undoes the move. */
  async moveBeside(item: Item, to: Item, where: 'before' | 'behind'): Promise<() => Promise<void>> {
    const was = this.#spot(item)
    const parent = parentOf(to)
    const beside = this.#beside(item.kind, parent).filter((i) => i.id !== idOf(item))
    const put = async (to: number, at: number) => {
      await this.client.collections.move(was.what, to, at)
      await this.load()
    }
    await put(parent, beside.findIndex((i) => i.id === idOf(to)) + (where === 'behind' ? 1 : 0))
    return () => put(was.parent, was.at)
  }

  /** Returns the items of one kind in a collection. */
  #beside(kind: Item['kind'], parent: number): { id: number }[] {
    return kind === 'folder' ? this.foldersIn(parent) : this.requestsIn(parent)
  }

  /** Returns the position of an item, to restore it. */
  #spot(item: Item) {
    const parent = parentOf(item)
    return { what: what(item), parent, at: this.#beside(item.kind, parent).findIndex((i) => i.id === idOf(item)) }
  }

  canStep(item: Item, by: -1 | 1): boolean {
    const to = this.#spot(item).at + by
    return to >= 0 && to < this.#beside(item.kind, parentOf(item)).length
  }

  /** Moves an item up or down by one place. */
  async step(item: Item, by: -1 | 1) {
    const { parent, at } = this.#spot(item)
    if (!this.canStep(item, by)) return
    await this.client.collections.move(what(item), parent, at + by)
    await this.load()
  }

  /** Moves an item into the folder above it, or out of its folder. */
  async shift(item: Item, by: -1 | 1) {
    const parent = parentOf(item)
    if (by > 0) {
      const folders = this.foldersIn(parent)
      const above =
        item.kind === 'folder' ? folders[folders.findIndex((f) => f.id === item.folder.id) - 1] : folders.at(-1)
      if (!above) return
      await this.client.collections.move(what(item), above.id, 1e6)
    } else {
      const outer = this.folder(parent)?.parentId
      if (outer === undefined || (outer === 0 && item.kind === 'request')) return
      await this.client.collections.move(what(item), outer, 1e6)
    }
    await this.load()
  }
}

const idOf = (item: Item) => (item.kind === 'folder' ? item.folder.id : item.request.id)
/** Returns the collection itself, or that of the request. */
export const homeOf = (item: Item) => (item.kind === 'folder' ? item.folder.id : item.request.collectionId)
export const parentOf = (item: Item) => (item.kind === 'folder' ? item.folder.parentId : item.request.collectionId)
const what = (item: Item) => (item.kind === 'folder' ? { folder: item.folder.id } : { request: item.request.id })

function grouped<T>(all: T[], by: (one: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const one of all) {
    const group = groups.get(by(one))
    if (group) group.push(one)
    else groups.set(by(one), [one])
  }
  return groups
}
