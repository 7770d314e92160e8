/** Saves requests that may have changed on disk or elsewhere, and disconnects collections from folders. */
import type { App } from '../state/app.svelte'
import { asFault, type DraftData } from '../client'
import type { KeptFolder, SavedDraft } from '../client/collections'
import { diskClient } from '../client/ondisk'
import { nameOf } from '../state/collections/library.svelte'
import { contentOf } from '../state/request/draft.svelte'
import type { OpenTab } from '../state/tabs/workspace.svelte'
import { text } from './kept-text'

/**
 * Saves a draft over the request that the tab was opened from. If that was changed elsewhere since, it saves the draft
 * as a new request beside it instead, and returns undefined.
 */
export async function saveOver(app: App, tab: OpenTab, draft: DraftData): Promise<SavedDraft | undefined> {
  const id = tab.requestId
  const client = app.client.part(diskClient)
  for (;;) {
    const { request, etag } = await client.current(id)
    const same = [tab.saved, draft].some((known) => !known || contentOf(known) === contentOf(request.draft))
    if (!same && !request.trashed) return void (await saveBeside(app, tab, draft, request))
    try {
      return await app.library.save(id, tab.name, draft, (row, change) => client.update(row, change, etag))
    } catch (e) {
      if (asFault(e).status !== 412) throw e // it has just changed: read it again
    }
  }
}

async function saveBeside(app: App, tab: OpenTab, draft: DraftData, now: SavedDraft) {
  const name = text.mine(nameOf(now))
  const mine = await app.library.createRequest(name, now.collectionId, draft)
  app.workspace.rename(tab, name)
  tab.requestId = mine.id
  tab.save(draft)
  app.toasts.show(text.changedElsewhere(nameOf(now), name), { tone: 'warn' })
}

/** Disconnects a collection from its folder. The files stay. */
export async function stopKeeping(app: App, { collectionId, dir }: KeptFolder) {
  try {
    await app.client.part(diskClient).stop(collectionId)
    await app.library.load()
    app.toasts.show(text.notKept(app.library.pathOf(collectionId), dir))
  } catch (e) {
    app.toasts.show(asFault(e).message, { tone: 'error' })
  }
}
