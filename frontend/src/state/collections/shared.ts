/** What may be done with collections that users share with each other. */
import { parentOf, type Item, type Library } from './library.svelte'

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
