import { createSubscriber } from 'svelte/reactivity'

const tick = 1000

/**
 * The current time in milliseconds, updated every second while something shows it and the page is
 * visible.
 */
class Clock {
  #at = Date.now()
  #subscribe = createSubscriber((update) => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'hidden') return
      this.#at = Date.now()
      update()
    }, tick)
    return () => clearInterval(timer)
  })

  get now(): number {
    this.#subscribe()
    this.#at = Math.max(this.#at, Date.now() - tick)
    return this.#at
  }
}

export const clock = new Clock()
