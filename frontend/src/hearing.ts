/** What the tabs of a portal and Go tell the page. */
import type { App } from './app.svelte'
import { used } from './catalog/recents'
import { openLink } from './link'
import { refused } from './portals/ask'
import type { Place } from './portals/place'
import { signedOut } from './sending/sending.svelte'
import { extractedToast } from './sidebar/extractors.svelte'
import type { OpenTab } from './tabs/workspace.svelte'
import { text } from './text'

/** Answers and faults of a portal's tabs come to the page. */
export function wire(app: App, place: Place) {
  const { workspace } = place
  workspace.onfault = (e) => app.saveFailed(e)
  workspace.onclosed = (tabs) => {
    app.toast(tabs.length === 1 ? text.closed(tabs[0].title) : text.closedTabs(tabs.length), { action: { label: text.undo, run: () => void workspace.reopenThese(tabs) } })
  }
  workspace.onactive = (tab) => void remember(app, place, tab)
  workspace.before = (tab, anyway) => {
    if (tab.draft.endpoint) used(app, tab.draft.endpoint, place.id) // now, and not with the answer: nothing moves when that comes
    return app.sending.before(tab, anyway)
  }
  workspace.onsaved = (file) => app.sending.saved(file)
  workspace.onanswer = (tab) => {
    for (const found of tab.draft.reply?.extracted ?? []) app.toast(...extractedToast(found))
    app.historyVersion++
    if (tab.draft.fault || tab.draft.reply) app.reach.heard(place.id, tab.draft.fault)
    if (app.portals.place === place && tab.draft.reply?.quota) app.quota = tab.draft.reply.quota
    if (tab.draft.fault?.detail.readOnly && !app.portal.readOnly) void app.portals.reload().catch(() => {}) // locked in another window
    if (tab.draft.fault?.status === 401) app.sessionEnded = true
    if (signedOut(tab.draft)) app.sending.refused(tab)
    if (tab.draft.fault?.status !== 401 && signedOut(tab.draft)) refused(app, place.id)
  }
}

/** What Go tells goes where it is shown; the answer ends it. */
export function listen(app: App): () => void {
  return app.client.listen({
    progress: (e) => {
      const tab = app.portals.tabs.find((t) => t.draft.busy && t.draft.sendId === e.sendId)
      if (tab) [tab.draft.received, tab.draft.expected] = [e.received, e.expected]
    },
    pages: (e) => {
      const mine = app.portals.tabs.filter((t) => t.draft.progress(e))
      if (e.quota && app.workspace.tabs.some((t) => mine.includes(t))) app.quota = e.quota
      if (mine.length && e.state === 'ready') app.sending.fetchFile(e.sendId)
    },
    batch: (e) => app.library.batch?.hear(e),
    workspace: (e) => {
      if (e.kind === 'variables') void app.reloadVariables().catch(() => {})
      if (e.kind === 'history') app.historyVersion++
      if (e.kind === 'extractors') app.act('extractors.reload')
      if (e.kind === 'tabs') app.workspace.follow()
      if (e.kind === 'portals') void app.portals.reload().catch(() => {})
      if (e.kind === 'collections' && app.library.loaded) void app.library.load()
    },
    undone: (e) => app.sending.wentBack(e.historyId),
    session: () => (app.sessionEnded = true),
    portal: (e) => app.live.hear(e.kind),
    link: (e) => void openLink(app, e),
    data: (e) => app.ondata(e),
    stream: (connected) => app.live.stream(connected),
  })
}

/** The next start begins with the tab that is looked at. */
async function remember(app: App, place: Place, tab: OpenTab) {
  try {
    const id = await tab.stored()
    if (place.workspace.active !== tab || app.lastTab(place.id) === id) return
    app.save(place.id ? { activeTabs: { ...app.settings.activeTabs, [place.id]: id } } : { activeTab: id })
  } catch (e) {
    app.saveFailed(e)
  }
}
