import { asFault, type Client, type Fault, type Portal } from '../../client'
import type { Toasts } from '../../ui/toast.svelte'
import type { PortalDialog } from './dialog'
import { text } from './text'

/** The parts of the page that Reach needs. */
interface Home {
  readonly client: Pick<Client, 'portals'>
  readonly portal: Portal
  readonly portals: { dialog: PortalDialog | undefined }
  readonly toasts: Pick<Toasts, 'show' | 'dismiss' | 'current'>
}

/** Tracks whether remote portals respond. */
export class Reach {
  /** Why a portal does not respond, one sentence by id. */
  #silent = $state.raw(new Map<number, string>())
  /** Why the selected portal does not respond, '' while it does. */
  readonly problem: string = $derived.by(() => this.#silent.get(this.app.portal.id) ?? '')
  /** The toast about a portal that does not respond, and its id. */
  #shown?: { id: number; toast: number }

  constructor(private app: Home) {}

  /** Sends a request to the selected portal, and shows a toast if it does not respond. */
  async check() {
    const { client, portal } = this.app
    if (!portal.remote) return
    try {
      await client.portals.test(portal.id, {})
      this.#note(portal.id, '')
    } catch (e) {
      const fault = asFault(e)
      this.heard(portal.id, fault)
      if (!this.problem || this.app.portal.id !== portal.id) return
      const edit = {
        label: text.reach.editPortal,
        run: () => (this.app.portals.dialog = { what: 'edit' as const, id: portal.id }),
      }
      const action = fault.detail.certificate ? edit : { label: text.reach.tryAgain, run: () => void this.check() }
      this.app.toasts.show(text.reach.isUnavailable(portal.name, fault.message), { tone: 'warn', stay: true, action })
      this.#shown = { id: portal.id, toast: this.app.toasts.current!.id }
    }
  }

  /** Updates the state from a response of a portal, or its fault; an unusable response counts as one. */
  heard(id: number, fault?: Fault) {
    const silent = fault?.status === 502 && (fault.field === 'portal' || fault.field === 'baseUrl')
    if (!fault || fault.detail.answered) this.#note(id, '')
    else if (silent) this.#note(id, fault.message)
  }

  #note(id: number, problem: string) {
    if ((this.#silent.get(id) ?? '') === problem) return
    if (!problem && this.#shown?.id === id && this.app.toasts.current?.id === this.#shown.toast)
      this.app.toasts.dismiss()
    const others = [...this.#silent].filter(([other]) => other !== id)
    this.#silent = new Map(problem ? [...others, [id, problem]] : others)
  }
}
