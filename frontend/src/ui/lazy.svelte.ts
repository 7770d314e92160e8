/** A value that loads when it is first read; readers update when it has loaded. */
export class Lazy<T> {
  #made = $state.raw<T>()
  #failed = $state(false)
  #begun = false

  constructor(private load: () => Promise<T>) {}

  /** Undefined until it has loaded. */
  get now(): T | undefined {
    this.#begin()
    return this.#made
  }

  /** Loading failed. Only a reload of the page tries again, because browsers cache the failure. */
  get failed(): boolean {
    return this.#failed
  }

  #begin() {
    if (this.#begun) return
    this.#begun = true
    this.load().then(
      (made) => (this.#made = made),
      () => (this.#failed = true),
    )
  }
}
