export interface ToastOptions {
  tone?: 'ok' | 'warn' | 'error'
  action?: { label: string; run(): void }
  /** Until dismissed, not six seconds. */
  stay?: boolean
}

export interface Toast extends ToastOptions {
  id: number
  text: string
}

/** One short message at a time; a new one replaces the old. */
export class Toasts {
  current = $state.raw<Toast>()
  #last = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  show(text: string, options: ToastOptions = {}) {
    clearTimeout(this.#timer)
    this.current = { ...options, text, id: ++this.#last }
    if (!options.stay) this.#timer = setTimeout(() => this.dismiss(), 6000)
  }

  dismiss() {
    clearTimeout(this.#timer)
    this.current = undefined
  }
}
