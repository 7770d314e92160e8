import type { App } from '../app.svelte'
import { text } from './text'

/** A dialog about portals. */
export type PortalAsk =
  | { what: 'manage' }
  | { what: 'password' }
  | { what: 'edit'; id: number }
  /** `resume` runs once somebody is signed in. */
  | { what: 'signin'; id: number; resume?: () => void }

/** Opens what lets a portal know again who asks: its sign-in, or where its credential is kept. */
export function signInAgain(app: App) {
  const { id, remote, auth } = app.portal
  if (!remote) app.sessionEnded = true
  else if (auth === 'session') app.portals.asking = { what: 'signin', id, resume: () => app.sending.resume(app.workspace.tabs) }
  else app.portals.asking = { what: 'edit', id }
}

/** A remote portal answered that it does not know who asks. */
export function refused(app: App, id: number) {
  const portal = app.portals.all.find((p) => p.id === id)
  if (!portal?.remote || app.portal.id !== id) return
  if (portal.auth === 'session') signInAgain(app)
  else if (portal.auth === 'none') app.toast(text.ask.wantsToKnow(portal.name), { tone: 'warn', action: { label: text.ask.editPortal, run: () => (app.portals.asking = { what: 'edit', id }) } })
  else app.toast(text.ask.refusesTheCredential(portal.name), { tone: 'warn', action: { label: text.ask.editPortal, run: () => (app.portals.asking = { what: 'edit', id }) } })
}
