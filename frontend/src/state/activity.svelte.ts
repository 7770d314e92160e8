import type { DataProgress } from '../client/data'
import type { BatchProgress } from '../client/collections'
import type { PagesProgress } from '../client/sending'
import type { WatchEvent } from '../client/watch'
import type { Toasts } from '../ui/toast.svelte'
import { text } from './text'

/** Page-wide state from the last responses and the event stream. */
export class Activity {
  /** Increases when the history changes, here or in another window. */
  historyVersion = $state(0)
  /** Increases when examples of saved requests change, here or in another window. */
  examplesVersion = $state(0)
  /** The quota of the last response of any tab. */
  quota = $state.raw<{ limit: number; remaining: number; window: number } | null>(null)
  /** Receives the progress of a backup or a restore. */
  ondata: (progress: DataProgress) => void = () => {}
  /** Receives the progress of lists of two portals. */
  onpages: (e: PagesProgress) => void = () => {}
  /** Receives the results of creations in another portal. */
  onbatch: (e: BatchProgress) => void = () => {}
  /** Receives the news of watches. */
  onwatch: (e: WatchEvent) => void = () => {}
  /** Why the portal cannot write, and the toast about that. */
  #unwritten = { problem: '', toast: 0 }

  /** Handles that the portal cannot write, or can again; a reconnected stream reports it again. */
  storage(problem: string, toasts: Pick<Toasts, 'show' | 'dismiss' | 'current'>) {
    const was = this.#unwritten
    if (problem === was.problem) return
    if (problem) toasts.show(text.notSaved(problem), { tone: 'error', stay: true })
    else if (toasts.current?.id === was.toast) toasts.dismiss()
    this.#unwritten = { problem, toast: toasts.current?.id ?? 0 }
  }
}
