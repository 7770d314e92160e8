import { createSubscriber } from 'svelte/reactivity'

/** Calls update every ms milliseconds while something subscribes and the page is visible. */
const every = (ms: number, update: () => void) => {
  const timer = setInterval(() => {
    if (document.visibilityState !== 'hidden') update()
  }, ms)
  return () => clearInterval(timer)
}

/** The current time in milliseconds, updated every `tick` milliseconds while something shows it. */
class Clock {
  #at = Date.now()
  #subscribe = createSubscriber((update) =>
    every(this.tick, () => {
      this.#at = Date.now()
      update()
    }),
  )

  constructor(private tick: number) {}

  get now(): number {
    this.#subscribe()
    this.#at = Math.max(this.#at, Date.now() - this.tick)
    return this.#at
  }
}

export const clock = new Clock(1000)

/** For what does not show seconds, such as ages: an idle page wakes less often. */
export const slowClock = new Clock(5000)
