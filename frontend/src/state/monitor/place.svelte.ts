import type { MonitorSpot, View } from '../../client'
import type { Trail } from './trail'

/** The current place in the Monitor view. */
export class MonitorPlace {
  spot = $state.raw<MonitorSpot>({ screen: 'overview' })

  /** `left` receives each new place, to store it. */
  constructor(
    private left: (spot: MonitorSpot) => void,
    private trail: Trail,
  ) {}

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

  /** Goes to a screen, or to an object on it; with `view`, to that view at the same time. */
  go(screen: string, id = '', filters: Record<string, string> = {}, view?: View) {
    const to: MonitorSpot = { screen, ...(id && { id }), ...(Object.keys(filters).length && { filters }) }
    if (JSON.stringify(to) === JSON.stringify(this.spot)) return
    this.spot = to
    this.left(to)
    this.trail.push({ spot: to, ...(view && { view }) })
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

  /** Goes back to the last place in the Monitor view; false if there is none. */
  back(): boolean {
    return this.trail.back('monitor')
  }

  #set(spot: MonitorSpot) {
    if (JSON.stringify(spot) === JSON.stringify(this.spot)) return
    this.spot = spot
    this.left(spot)
    this.trail.update({ spot })
  }
}
