export interface ToastOptions {
  /** By default ok. */
  tone?: 'ok' | 'warn' | 'error'
  action?: { label: string; run(): void }
  /** A second action, before the first. */
  also?: { label: string; run(): void }
  /** Stays until dismissed, instead of six seconds. */
  stay?: boolean
  /** Sentences to show on demand, because a message is short. */
  details?: string[]
}

export interface Toast extends ToastOptions {
  id: number
  text: string
}

const shownFor = 6000 // ms

/**
 * One short message at a time; a new one replaces the previous one. It stays while it is under the
 * pointer or has the focus.
 */
export class Toasts {
  current = $state.raw<Toast>()
  #last = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  show(text: string, options: ToastOptions = {}) {
    clearTimeout(this.#timer)
    this.current = { ...options, text, id: ++this.#last }
    this.leave()
  }

  /** Keeps the toast while the user points at it. */
  hold() {
    clearTimeout(this.#timer)
  }

  /** Restarts the timer of the toast. */
  leave() {
    clearTimeout(this.#timer)
    if (this.current && !this.current.stay) this.#timer = setTimeout(() => this.dismiss(), shownFor)
  }

  dismiss() {
    clearTimeout(this.#timer)
    this.current = undefined
  }
}
