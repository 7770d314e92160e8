/** Follows changes of collections that are kept in folders on disk, or shared. */
import type { Schemas } from '../client/explorer'
import { contentOf } from './request/draft.svelte'
import { isShared } from './collections/shared'
import { text } from './following-text'
import type { Page } from './page'

/** Shows the requests as they are now in the tabs that have no edits. */
export async function follow(page: Page) {
  await page.library.load()
  const { library } = page
  for (const tab of page.portals.tabs) {
    const row = library.requests.find((r) => r.id === tab.requestId)
    if (!row || tab.changed) continue
    if (!library.keptIn(row.collectionId) && !isShared(library, row.collectionId)) continue
    const { name, draft } = await library.request(row.id)
    if (tab.changed || tab.requestId !== row.id) continue // changed during the request
    if (tab.saved && contentOf(draft) === contentOf(tab.saved) && tab.name === name) continue
    tab.name = name
    tab.draft.load(draft)
    tab.save(tab.draft.data())
  }
}

/** Reports requests that were deleted on disk, or changed both on disk and here. */
export function heard(page: Page, e: Schemas['FolderEvent']) {
  const { removed, copies } = e
  if (copies?.length) page.toasts.show(text.changedTwice(copies), { tone: 'warn' })
  if (!removed?.length) return
  page.toasts.show(text.deletedOnDisk(e.collection, removed.length === 1 ? removed[0].name : removed.length), {
    action: { label: text.undo, run: () => void restore(page, removed) },
  })
}

async function restore(page: Page, removed: Schemas['RemovedItem'][]) {
  try {
    for (const { folder, id } of removed) {
      if (folder) await page.client.collections.updateFolder(id, { trashed: 0 })
      else await page.client.collections.updateRequest(id, { trashed: 0 })
    }
  } catch (e) {
    page.saveFailed(e)
  } finally {
    await page.library.load()
  }
}
