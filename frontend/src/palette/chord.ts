import { isModifier } from '../ui/keys'

/**
 * The chord "K then M": an `m` that is the first key after the palette opened
 * and is followed by no other key for a while is the chord; anything else is a
 * search. The `m` is typed into the field meanwhile, so nothing is lost.
 */
export class Chord {
  #first = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `wait` is in milliseconds. */
  constructor(
    private fire: () => void,
    private wait = 400,
  ) {}

  /** The palette has just opened: the next key is the first. */
  arm() {
    this.cancel()
    this.#first = true
  }

  /** Every keydown while the palette is open, in order. Ctrl may be released and pressed again before the m. */
  key(e: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'repeat' | 'isComposing'>) {
    const first = this.#first
    if (first && isModifier(e.key)) return
    this.cancel()
    if (!first || e.key.toLowerCase() !== 'm' || e.altKey || e.shiftKey || e.repeat || e.isComposing) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.fire()
    }, this.wait)
  }

  /** The palette closed, or the pointer was used: no chord any more. */
  cancel() {
    this.#first = false
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
