import type { Component } from 'svelte'

/**
 * A part of the page whose code loads when it is first needed, and is available immediately from
 * then on.
 */
export class Part {
  component = $state.raw<Component>()
  #loading: Promise<void> | undefined

  constructor(private load: () => Promise<{ default: Component }>) {}

  /** Resolves when the code has loaded. Rejects if it fails; the next call tries again. */
  ready(): Promise<void> {
    this.#loading ??= this.load().then(
      (code) => void (this.component = code.default),
      (e: unknown) => {
        this.#loading = undefined
        throw e
      },
    )
    return this.#loading
  }
}
