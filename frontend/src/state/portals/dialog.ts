import type { Portal } from '../../client'
import type { ToastOptions } from '../../ui/toast.svelte'
import { text } from './text'

/** A dialog about portals. */
export type PortalDialog =
  | { what: 'manage' }
  | { what: 'password' }
  | { what: 'factor' }
  | { what: 'edit'; id: number }
  | { what: 'rehearse'; id: number }
  /** `resume` runs after the sign-in. */
  | { what: 'signin'; id: number; resume?: () => void }

/** The parts of the page that signing in again needs. */
interface Home<Tab> {
  session: { ended: boolean }
  toasts: { show(text: string, options?: ToastOptions): void }
  portals: {
    readonly all: Portal[]
    readonly shown: Portal
    readonly place: { workspace: { tabs: Tab[] } }
    dialog: PortalDialog | undefined
  }
  sending: { resume(among?: Tab[]): void }
}

/** Opens the sign-in of a portal, or the form with its credential. */
export function signInAgain<Tab>(app: Home<Tab>) {
  const { id, remote, auth } = app.portals.shown
  if (!remote) app.session.ended = true
  else if (auth === 'session')
    app.portals.dialog = { what: 'signin', id, resume: () => app.sending.resume(app.portals.place.workspace.tabs) }
  else app.portals.dialog = { what: 'edit', id }
}

/** Handles a remote portal that rejected the credential. */
export function refused<Tab>(app: Home<Tab>, id: number) {
  const portal = app.portals.all.find((p) => p.id === id)
  if (!portal?.remote || app.portals.shown.id !== id) return
  if (portal.auth === 'session') signInAgain(app)
  else if (portal.auth === 'none')
    app.toasts.show(text.dialog.requiresSignIn(portal.name), {
      tone: 'warn',
      action: { label: text.dialog.editPortal, run: () => (app.portals.dialog = { what: 'edit', id }) },
    })
  else
    app.toasts.show(text.dialog.rejectedCredential(portal.name), {
      tone: 'warn',
      action: { label: text.dialog.editPortal, run: () => (app.portals.dialog = { what: 'edit', id }) },
    })
}
