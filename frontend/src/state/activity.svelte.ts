import type { DataProgress } from '../client/data'
import type { Toasts } from '../ui/toast.svelte'
import { text } from './text'

/** What the last responses and the event stream have told the whole page. */
export class Activity {
  /** Counts up when history changed, here or in another window. */
  historyVersion = $state(0)
  /** The quota of the last response, of whichever tab sent last. */
  quota = $state.raw<{ limit: number; remaining: number; window: number } | null>(null)
  /** Hears how far a backup or a restore is. */
  ondata: (progress: DataProgress) => void = () => {}
  /** Why the portal can write nothing, and the message that says so. */
  #unwritten = { problem: '', toast: 0 }

  /** The portal can write nothing, or can again: a stream that comes back tells it once more. */
  storage(problem: string, toasts: Pick<Toasts, 'show' | 'dismiss' | 'current'>) {
    const was = this.#unwritten
    if (problem === was.problem) return
    if (problem) toasts.show(text.notSaved(problem), { tone: 'error', stay: true })
    else if (toasts.current?.id === was.toast) toasts.dismiss()
    this.#unwritten = { problem, toast: toasts.current?.id ?? 0 }
  }
}
