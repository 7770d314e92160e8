/** Connects the tabs of a portal, and the event stream, with the page. */
import type { Extracted } from '../client'
import type { Schemas } from '../client/explorer'
import type { ToastOptions } from '../ui/toast.svelte'
import { used } from './recents'
import { text as partText } from '../ui/text'
import { refused } from './portals/dialog'
import type { Place } from './portals/place'
import { signedOut } from './sending/sending.svelte'
import type { OpenTab } from './tabs/workspace.svelte'
import type { Page } from './page'
import { text } from './text'

/** Passes responses and faults of a portal's tabs to the page. */
export function wire(page: Page, place: Place) {
  const { workspace } = place
  workspace.onfault = (e) => page.saveFailed(e)
  workspace.onclosed = (tabs) => {
    page.toasts.show(tabs.length === 1 ? text.closed(tabs[0].title) : text.closedTabs(tabs.length), {
      action: { label: text.undo, run: () => void workspace.reopenThese(tabs) },
    })
  }
  workspace.onactive = (tab) => void remember(page, place, tab)
  workspace.before = (tab, anyway) => {
    // now and not with the response, so that nothing moves when it arrives
    if (tab.draft.endpoint) used(page, tab.draft.endpoint, place.id)
    return page.sending.before(tab, anyway)
  }
  workspace.onsaved = (file) => page.sending.saved(file)
  workspace.onanswer = (tab) => {
    for (const found of tab.draft.reply?.extracted ?? []) page.toasts.show(...extractedToast(found))
    page.activity.historyVersion++
    if (tab.draft.fault || tab.draft.reply) page.reach.heard(place.id, tab.draft.fault)
    if (page.portals.place === place && tab.draft.reply?.quota) page.activity.quota = tab.draft.reply.quota
    // locked in another window
    if (tab.draft.fault?.detail.readOnly && !page.portals.shown.readOnly) void page.portals.reload().catch(() => {})
    if (tab.draft.fault?.status === 401) page.session.ended = true
    if (signedOut(tab.draft)) page.sending.refused(tab)
    if (tab.draft.fault?.status !== 401 && signedOut(tab.draft)) refused(page, place.id)
  }
}

/** Returns the toast after an extractor ran. */
function extractedToast(found: Extracted): [string, ToastOptions] {
  if (found.problem) return [text.notSet(found.variable, found.problem), { tone: 'warn' }]
  const value = found.value.length > 40 ? `${found.value.slice(0, 40)}…` : found.value
  return [text.extracted(found.variable, value), { tone: 'ok' }]
}

/** Dispatches events of the stream to the parts of the page. Returns a function that ends this. */
export function listen(page: Page): () => void {
  return page.client.listen({
    progress: (e) => {
      const tab = page.portals.tabs.find((t) => t.draft.busy && t.draft.sendId === e.sendId)
      if (tab) [tab.draft.received, tab.draft.expected] = [e.received, e.expected]
    },
    pages: (e) => {
      page.activity.onpages(e)
      const mine = page.portals.tabs.filter((t) => t.draft.progress(e))
      if (e.quota && page.portals.place.workspace.tabs.some((t) => mine.includes(t))) page.activity.quota = e.quota
      if (mine.length && e.state === 'ready') page.sending.fetchFile(e.sendId)
    },
    batch: (e) => {
      page.library.batch?.hear(e)
      page.activity.onbatch(e)
    },
    workspace: (e) => reload(page, e.kind),
    folder: (e) => void following((f) => f.heard(page, e)),
    undone: (e) => page.sending.wentBack(e.historyId),
    session: () => (page.session.ended = true),
    portal: (e) => page.live.hear(e.kind),
    link: (e) => void linking(page, (links) => links.openLink(page, e)),
    data: (e) => page.activity.ondata(e),
    watch: (e) => page.activity.onwatch(e),
    storage: (e) => {
      page.activity.storage(e.problem, page.toasts)
      if (!e.problem) saveAgain(page)
    },
    stream: (connected) => {
      if (connected) {
        catchUp(page, !page.live.connected)
        saveAgain(page)
      }
      page.live.stream(connected)
    },
  })
}

/** Saves edits that could not be saved while the portal was away, or could not write. */
function saveAgain(page: Page) {
  void page.portals.flush()
  void page.settings.flush()
}

type Kind = Schemas['WorkspaceEvent']['kind']

/** Reloads what another window or program changed. */
function reload(page: Page, kind: Kind) {
  if (kind === 'variables' || kind === 'environments') void page.variables.reload().catch(() => {})
  if (kind === 'history') page.activity.historyVersion++
  if (kind === 'extractors') page.commands.runIfOffered('extractors.reload')
  if (kind === 'tabs') page.portals.place.workspace.follow()
  if (kind === 'portals') void page.portals.reload().catch(() => {})
  if (kind === 'examples') page.activity.examplesVersion++
  if ((kind === 'collections' || kind === 'examples') && page.library.loaded) void page.library.load()
  if (kind === 'collections') void following((f) => f.follow(page))
}

/** The page has these from its start, before the stream opens. */
const fromStart: Kind[] = ['tabs', 'variables', 'portals']
const later: Kind[] = ['history', 'extractors', 'collections', 'examples']

/** Reloads what may have changed while no stream was open: since the start, or since the stream was lost. */
function catchUp(page: Page, lost: boolean) {
  for (const kind of lost ? [...fromStart, ...later] : fromStart) reload(page, kind)
}

/** Handles links. The code loads with the first link. */
export async function linking(page: Page, run: (links: typeof import('./link')) => Promise<unknown> | void) {
  try {
    await run(await import('./link'))
  } catch {
    page.toasts.show(partText.notLoaded, { tone: 'error' })
  }
}

/** Follows changes of files. The code loads with the first change. */
async function following(run: (files: typeof import('./following')) => Promise<void> | void) {
  try {
    await run(await import('./following'))
  } catch {
    // the next change is followed again
  }
}

/** Stores the active tab for the next start. */
async function remember(page: Page, place: Place, tab: OpenTab) {
  try {
    const id = await tab.stored()
    if (place.workspace.active !== tab || page.settings.lastTab(place.id) === id) return
    page.settings.save(
      place.id ? { activeTabs: { ...page.settings.values.activeTabs, [place.id]: id } } : { activeTab: id },
    )
  } catch (e) {
    page.saveFailed(e)
  }
}
