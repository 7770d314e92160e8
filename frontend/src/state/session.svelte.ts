import type { Fault, Language, Start, User } from '../client'
import type { FileFormat } from '../client/collections'

export type Phase = 'loading' | 'broken' | 'signin' | 'ready'

/** The signed-in user, and the phase of the start. */
export class Session {
  phase = $state<Phase>('loading')
  /** Why the page could not start. */
  fault = $state.raw<Fault>()
  start = $state.raw<Start>()
  /** Whether the session has ended while the page was open, so that the user has to sign in again. */
  ended = $state(false)

  readonly user: User | undefined = $derived(this.start?.user)
  readonly formats: FileFormat[] = $derived(this.start?.formats ?? [])
  readonly languages: Language[] = $derived(this.start?.languages ?? [])
}
