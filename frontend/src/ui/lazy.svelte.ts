/** Something that is loaded when it is first looked at; whoever looks follows it. */
export class Lazy<T> {
  #made = $state.raw<T>()
  #failed = $state(false)
  #asked = false

  constructor(private load: () => Promise<T>) {}

  /** Undefined until it is here. */
  get now(): T | undefined {
    this.#begin()
    return this.#made
  }

  /** It did not come: only a reload of the page asks again, because browsers keep the failure. */
  get failed(): boolean {
    return this.#failed
  }

  #begin() {
    if (this.#asked) return
    this.#asked = true
    this.load().then(
      (made) => (this.#made = made),
      () => (this.#failed = true),
    )
  }
}
