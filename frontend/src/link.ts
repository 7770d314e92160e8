import type { App } from './app.svelte'
import type { Link } from './client'
import { screens } from './monitor/screens'
import { emptyDraft } from './request/draft.svelte'
import { text } from './text'

/** What the address of the page in a browser leads to, as mails have it: `#monitor/alerts/12`. */
export function pageOf(hash: string): Link | undefined {
  const [, screen, id = ''] = /^#monitor\/([a-z]+)(?:\/([\w-]+))?$/.exec(hash) ?? []
  return screens.some((s) => s.id === screen) ? { screen, id } : undefined
}

/** Opens a spyglass:// link. It shows, and sends nothing: whoever wrote it is not known. */
export async function openLink(app: App, { screen, id, call, problem }: Link) {
  if (problem) return app.toast(problem, { tone: 'warn', stay: true })
  if (app.portal.remote) await app.portals.switchTo(0) // links belong to the portal of this machine
  if (app.portal.remote) return // it said why
  if (screen) return app.watch(screen, id)
  if (!call) return
  await app.catalog.settled
  const { method, path } = call
  const query = call.query.map((pair) => ({ on: true, ...pair }))
  app.openDraft({ ...emptyDraft(), method, path, template: app.catalog.match(method, path)?.path ?? '', query })
  app.toast(text.linked)
}
