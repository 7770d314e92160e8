/** The permissions on collections that users share with each other. */
import { parentOf, type Item, type Library } from './library.svelte'

/** Whether the user may rename, move and delete an item. Collections that others share are excluded. */
export function mayChange(library: Library, item: Item): boolean {
  return library.mayAdd(parentOf(item)) && !(item.kind === 'folder' && item.folder.id < 0)
}

/** Whether other users may change the contents of a folder, too. */
export function isShared(library: Library, id: number): boolean {
  if (library.ownerOf(id)) return true
  for (let folder = library.folder(id); folder; folder = library.folder(folder.parentId)) if (folder.shared) return true
  return false
}
