/**
 * Saves at most `wait` milliseconds after the first change, one write at a time, and again if there
 * were changes meanwhile. A failed write is repeated after the next change or flush.
 */
export class Saver {
  #timer: ReturnType<typeof setTimeout> | undefined
  #dirty = false
  #running: Promise<void> | undefined

  constructor(
    private write: () => Promise<unknown>,
    private failed: (e: unknown) => void = () => {},
    private wait = 300,
  ) {}

  get dirty(): boolean {
    return this.#dirty
  }

  touch() {
    this.#dirty = true
    this.#timer ??= setTimeout(() => void this.flush(), this.wait)
  }

  /** Saves now. `last` is set when the page closes, so that nothing may be awaited. */
  async flush(last = false): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#dirty) return this.#running
    if (this.#running && !last) {
      await this.#running
      return this.flush()
    }
    this.#dirty = false
    this.#running = this.#run()
    await this.#running
  }

  /** Discards changes that are not saved. */
  drop() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#dirty = false
  }

  async #run() {
    try {
      await this.write()
    } catch (e) {
      this.#dirty = true
      this.failed(e)
    } finally {
      this.#running = undefined
    }
  }
}
