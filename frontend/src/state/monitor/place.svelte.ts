import type { MonitorSpot } from '../../client'

const most = 100 // places to remember

/** The current place in the Monitor view, with the previous ones. */
export class MonitorPlace {
  spot = $state.raw<MonitorSpot>({ screen: 'overview' })
  #back: MonitorSpot[] = []
  #ahead: MonitorSpot[] = []

  /** `left` receives each new place, to store it. */
  constructor(private left: (spot: MonitorSpot) => void) {}

  get screen(): string {
    return this.spot.screen
  }
  /** The id of the shown object, '' for none. */
  get id(): string {
    return this.spot.id ?? ''
  }
  /** Returns the value of a filter of the screen; '' if it is not set. */
  filter(name: string): string {
    return this.spot.filters?.[name] ?? ''
  }

  restore(spot: MonitorSpot | undefined) {
    if (spot?.screen) this.spot = spot
  }

  /** Goes to a screen, or to an object on it. */
  go(screen: string, id = '', filters: Record<string, string> = {}) {
    const to: MonitorSpot = { screen, ...(id && { id }), ...(Object.keys(filters).length && { filters }) }
    if (JSON.stringify(to) === JSON.stringify(this.spot)) return
    this.#back = [...this.#back, this.spot].slice(-most)
    this.#ahead = []
    this.#set(to)
  }

  /** Changes filters of the screen without a history entry. '' removes one. */
  set(change: Record<string, string>) {
    const all = Object.entries({ ...this.spot.filters, ...change }).filter(([, value]) => value !== '')
    this.#set({ ...this.spot, filters: Object.fromEntries(all) })
  }

  /** Shows another object on the same screen without a history entry. */
  look(id: string) {
    if (id !== this.id) this.#set({ ...this.spot, id })
  }

  back(): boolean {
    return this.#step(this.#back, this.#ahead)
  }

  forward(): boolean {
    return this.#step(this.#ahead, this.#back)
  }

  #step(from: MonitorSpot[], to: MonitorSpot[]): boolean {
    const spot = from.pop()
    if (!spot) return false
    to.push(this.spot)
    this.#set(spot)
    return true
  }

  #set(spot: MonitorSpot) {
    this.spot = spot
    this.left(spot)
  }
}
