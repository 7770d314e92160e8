import type { Folder } from '../../client/collections'
import { text } from './shared-text'

/** Puts the collections that other users share into one folder per user. */
export function byOwner(folders: Folder[]): Folder[] {
  const owners = new Map<number, Folder>()
  const all = folders.map((f) => {
    if (!f.ownerId || !f.owner) return f
    owners.set(f.ownerId, { id: -f.ownerId, parentId: 0, name: text.sharedBy(f.owner), doc: '', locked: true })
    return { ...f, parentId: -f.ownerId }
  })
  return [...all, ...owners.values()]
}
