/**
 * Writes something at most `wait` milliseconds after it was first touched,
 * one write at a time, and again if it was touched meanwhile. A failed write
 * is tried again with the next touch or flush.
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

  /** Writes now. `last` is said when the page goes away: nothing may be waited for. */
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

  /** Forgets what was not written. */
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
