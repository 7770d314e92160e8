import { createSubscriber } from 'svelte/reactivity'

const tick = 1000

/** The present in milliseconds, once a second, for as long as something shows it and the page is in sight. */
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
