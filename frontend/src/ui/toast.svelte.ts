import { text as words } from './text'

interface Action {
  label: string
  run(): void
}

export interface ToastOptions {
  /** By default ok. */
  tone?: 'ok' | 'warn' | 'error'
  action?: Action
  /** A second action, before the first. */
  also?: Action
  /**
   * Undoes the change that the message reports; the message offers it as an action. If it fails, it shows the reason
   * and resolves to false.
   */
  undo?: () => Promise<boolean>
  /** Stays until dismissed, instead of six seconds. */
  stay?: boolean
  /** Called when the user closes it. */
  onclose?(): void
  /** Sentences to show on demand, because a message is short. */
  details?: string[]
}

export interface Toast extends ToastOptions {
  id: number
  text: string
  /** Epoch milliseconds. */
  at: number
}

const shownFor = 6000 // ms
const kept = 30

/**
 * One short message at a time; a new one replaces the previous one. It stays while it is under the
 * pointer or has the focus.
 */
export class Toasts {
  current = $state.raw<Toast>()
  /** The last messages, the newest first. */
  past = $state.raw<readonly Toast[]>([])
  /** The last message is about an action of the palette, and nothing has been typed since. */
  fresh = false
  #last = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  show(text: string, options: ToastOptions = {}) {
    clearTimeout(this.#timer)
    this.current = { ...options, text, id: ++this.#last, at: Date.now() }
    this.past = [this.current, ...this.past].slice(0, kept)
    this.leave()
  }

  /** Returns the actions of a message. */
  actionsOf(toast: Toast): Action[] {
    return [undoOf(this, toast), toast.also, toast.action].filter((a) => a !== undefined)
  }

  /** The last message that can be undone, also after it has closed. */
  get undoable(): Toast | undefined {
    return this.past.find((toast) => toast.undo)
  }

  /** Whether that message is shown. */
  get offersUndo(): boolean {
    return this.current?.undo !== undefined
  }

  /** Undoes the change of the last message that can be undone. */
  undo() {
    const toast = this.undoable
    const back = toast && undoOf(this, toast)
    if (back) this.run(toast, back)
  }

  /** Runs an action of a message, and then removes its actions. */
  run(toast: Toast, action: Action) {
    if (this.current?.id === toast.id) this.dismiss()
    this.past = this.past.map((t) =>
      t.id === toast.id ? { ...t, action: undefined, also: undefined, undo: undefined } : t,
    )
    action.run()
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

  /** Dismisses it for the user. */
  close() {
    this.current?.onclose?.()
    this.dismiss()
  }
}

function undoOf(toasts: Toasts, { text, undo }: Toast): Action | undefined {
  return (
    undo && {
      label: words.undo,
      run: () => void undo().then((done) => done && toasts.show(words.undone(text))),
    }
  )
}
