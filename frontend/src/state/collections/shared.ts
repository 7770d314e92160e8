/** Collections that users share with each other. */
import type { Folder } from '../../client/collections'
import { parentOf, type Item, type Library } from './library.svelte'
import { text } from './shared-text'

/** Puts what others share into a folder for each of them. */
export function byOwner(folders: Folder[]): Folder[] {
  const owners = new Map<number, Folder>()
  const all = folders.map((f) => {
    if (!f.ownerId || !f.owner) return f
    owners.set(f.ownerId, { id: -f.ownerId, parentId: 0, name: text.sharedBy(f.owner), doc: '', locked: true })
    return { ...f, parentId: -f.ownerId }
  })
  return [...all, ...owners.values()]
}

/** Whether the user may rename, move and delete an item: not what others share itself. */
export function mayChange(library: Library, item: Item): boolean {
  return library.mayAdd(parentOf(item)) && !(item.kind === 'folder' && item.folder.id < 0)
}

/** Whether others may change what is in a folder, too. */
export function isShared(library: Library, id: number): boolean {
  if (library.ownerOf(id)) return true
  for (let folder = library.folder(id); folder; folder = library.folder(folder.parentId)) if (folder.shared) return true
  return false
}
