import type { Link } from '../client'
import { emptyDraft } from './request/draft.svelte'
import type { Page } from './page'
import { text } from './text'

/** Returns the target of the page's address in a browser, as used in mails: `#monitor/alerts/12`. */
export function pageOf(hash: string, isScreen: (id: string) => boolean): Link | undefined {
  const [, screen, id = ''] = /^#monitor\/([a-z]+)(?:\/([\w-]+))?$/.exec(hash) ?? []
  return isScreen(screen) ? { screen, id } : undefined
}

/** Opens a spyglass:// link. It sends no request, because the author of the link is unknown. */
export async function openLink(page: Page, { screen, id, call, problem }: Link) {
  if (problem) return page.toasts.show(problem, { tone: 'warn', stay: true })
  if (page.portals.shown.remote) await page.portals.switchTo(0) // links belong to the portal of this machine
  if (page.portals.shown.remote) return // the reason is shown already
  if (screen) return page.navigation.watch(screen, id)
  if (!call) return
  await page.portals.place.catalog.settled
  const { method, path } = call
  const query = call.query.map((pair) => ({ on: true, ...pair }))
  page.navigation.openDraft({
    ...emptyDraft(),
    method,
    path,
    template: page.portals.place.catalog.match(method, path)?.path ?? '',
    query,
  })
  page.toasts.show(text.linked)
}
