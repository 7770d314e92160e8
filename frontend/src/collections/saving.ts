import { tick } from 'svelte'
import type { App } from '../state/app.svelte'
import { asFault, type DraftData, type History } from '../client'
import { contentOf } from '../state/request/draft.svelte'
import type { OpenTab } from '../state/tabs/workspace.svelte'
import type { Item } from '../state/collections/library.svelte'
import { nameOf, parentOf } from '../state/collections/library.svelte'
import { text } from './text'

/** Ctrl+S: saves to the saved request of the tab, or opens the dialog for a collection. */
export async function saveTab(app: App, tab: OpenTab) {
  if (!tab.requestId) return void app.commands.run('request.saveAs')
  try {
    const draft = tab.draft.data()
    const { saveOver } = await import('./kept')
    const now = await saveOver(app, tab, draft)
    if (!now) return
    const saved = app.library.ownerOf(now.collectionId) ? now.draft : draft // others cannot save secrets
    if (app.workspace.tabs.includes(tab)) tab.save(saved) // unless it was closed meanwhile
    const folder = app.library.pathOf(now.collectionId)
    app.toasts.show(folder ? text.saving.savedIn(folder) : text.saving.saved)
  } catch (e) {
    const fault = asFault(e)
    if (fault.status === 404) {
      tab.requestId = 0 // permanently deleted meanwhile: save it as a new one
      app.commands.run('request.saveAs')
    } else app.toasts.show(text.saving.notSaved(fault.message), { tone: 'error' })
  }
}

/** Shows a saved request: the tab that has it open, or a new one. */
export async function openSaved(app: App, id: number) {
  app.navigation.go('api')
  const open = app.workspace.tabs.find((t) => t.requestId === id)
  if (open) return app.workspace.activate(open)
  try {
    const { name, draft } = await app.library.request(id)
    const now = app.workspace.active
    if (now && !now.changed && !now.draft.path && !now.name && !now.requestId && !now.pinned)
      void app.workspace.close(now, false)
    app.workspace.open(draft, { name, requestId: id })
  } catch (e) {
    app.toasts.show(asFault(e).message, { tone: 'error' })
  }
}

/** Shows imported collections with the focus on the first, or opens the only request in them. */
export async function showImported(app: App, ids: number[]) {
  const { library, settings, navigation, commands } = app
  const requests = library.requestsOf(library.chosen(new Set(ids.map((id) => `f${id}`))))
  const only = requests.length === 1 ? requests[0] : undefined
  const open = new Set([...(settings.values.openCollections ?? []), ...ids])
  let around = only?.collectionId ?? library.folder(ids[0])?.parentId
  for (; around && around > 0; around = library.folder(around)?.parentId) open.add(around)
  settings.save({ leftPane: 'collections', openCollections: [...open] })
  if (only) await openSaved(app, only.id)
  else navigation.go('api')
  await navigation.shown()
  commands.runIfOffered('catalog.open')
  await tick()
  commands.runIfOffered('collections.show', only ? `r${only.id}` : `f${ids[0]}`)
}

/** Opens a saved request of a run with its response, or, if it was changed since, the request that was sent. */
export async function openRan(app: App, id: number, sent: History) {
  const tab = app.workspace.tabs.find((t) => t.requestId === id)
  const saved = app.library.requests.some((r) => r.id === id)
  const draft = tab ? tab.draft.data() : saved ? (await app.library.request(id)).draft : undefined
  if (!draft || tab?.draft.busy || !sentAs(draft, sent.draft)) return void app.navigation.openHistory(sent)
  await openSaved(app, id)
  const shown = app.workspace.tabs.find((t) => t.requestId === id)
  if (sent.kept) await shown?.recall(sent.id)
}

/** Whether a request of the history, whose secrets are masked, is the same as this one. */
function sentAs(draft: DraftData, sent: DraftData): boolean {
  const parts = contentOf(sent)
    .split('********')
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(contentOf(draft))
}

/** Returns the name of an item, or the number of several. */
export function named(items: Item[]): string {
  const [item] = items
  if (items.length !== 1) return text.saving.entries(items.length)
  return item.kind === 'folder' ? item.folder.name : nameOf(item.request)
}

/** Deletes items, and offers to undo that. */
export async function deleteItems(app: App, items: Item[]) {
  await attempt(app, async () => {
    await app.library.trash(items)
    app.toasts.show(text.saving.deleted(named(items)), {
      action: { label: text.saving.undo, run: () => void attempt(app, () => app.library.trash(items, false)) },
    })
  })
}

/** Moves items, and offers to undo that. */
export async function moveItems(app: App, items: Item[], to: number) {
  showMoved(app, items, to, await app.library.moveAll(items, to))
}

/** Moves an item beside another; offers to undo that if it is in another collection. */
export async function moveBeside(app: App, item: Item, to: Item, where: 'before' | 'behind') {
  const back = await app.library.moveBeside(item, to, where)
  if (parentOf(item) !== parentOf(to)) showMoved(app, [item], parentOf(to), back)
}

function showMoved(app: App, items: Item[], to: number, back: () => Promise<void>) {
  const where = to ? text.saving.to(app.library.pathOf(to)) : text.saving.outOfIts
  app.toasts.show(text.saving.moved(named(items), where), {
    action: { label: text.saving.undo, run: () => void attempt(app, back) },
  })
}

/** Runs a function and shows its error as a toast. */
export async function attempt(app: App, run: () => Promise<unknown>) {
  try {
    await run()
  } catch (e) {
    app.toasts.show(asFault(e).message, { tone: 'error' })
  }
}
