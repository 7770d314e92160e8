import type { MonitorSpot, View } from '../../client'

/** A place in the page: the view, and the place in the Monitor view. */
export interface Visit {
  view: View
  spot: MonitorSpot
}

/** An entry of the browser's history. */
interface Step {
  at: number
  visit: Visit
}

type Browser = Pick<History, 'state' | 'pushState' | 'replaceState' | 'go'>

/**
 * The visited places, which Back and Forward go through: those of the browser, of the mouse, and the
 * commands. The browser's history has an entry for each, so a reload keeps them.
 */
export class Trail {
  /** By position; those before a reload are missing. */
  #all: Visit[] = []
  #at = 0
  /** The entry was made by the browser for a link, and shows no place yet. */
  #blank = false

  /** `show` shows a place again; without a browser, in tests, all is in memory. */
  constructor(
    private show: (visit: Visit) => void,
    private browser?: Browser,
  ) {}

  begin(visit: Visit) {
    this.#at = stepOf(this.browser?.state)?.at ?? 0
    this.#all = []
    this.#keep(visit)
  }

  /** Goes to a new place. */
  push(change: Partial<Visit>) {
    const now = this.#all[this.#at]
    const visit = now && { ...now, ...change }
    if (!now || JSON.stringify(visit) === JSON.stringify(now)) return
    if (this.#blank) return this.#keep(visit)
    this.#all = this.#all.slice(0, ++this.#at)
    this.#all[this.#at] = visit
    this.browser?.pushState({ at: this.#at, visit } satisfies Step, '')
  }

  /** Changes the current place, for example its filters. */
  update(change: Partial<Visit>) {
    const now = this.#all[this.#at]
    if (now) this.#keep({ ...now, ...change })
  }

  /** Handles a link that was entered as the address, for which the browser has a new entry. */
  arrived() {
    if (!this.browser || stepOf(this.browser.state)) return
    const now = this.#all[this.#at]
    this.#all = this.#all.slice(0, ++this.#at)
    this.#keep(now)
    this.#blank = true
  }

  /** Goes back, or to the last place in that view; false if there is none. */
  back(view?: View): boolean {
    return this.#step(-1, view)
  }

  forward(): boolean {
    return this.#step(1)
  }

  /** Handles the browser's Back and Forward. */
  pop(state: unknown) {
    const step = stepOf(state)
    if (!step) return
    this.#at = step.at
    this.#all[step.at] = step.visit
    this.#blank = false
    this.show(step.visit)
  }

  #step(by: number, view?: View): boolean {
    let to = this.#at + by
    while (view && this.#all[to] && this.#all[to].view !== view) to += by
    const visit = this.#all[to]
    if (!visit) return false
    if (this.browser) this.browser.go(to - this.#at)
    else this.pop({ at: to, visit } satisfies Step)
    return true
  }

  #keep(visit: Visit) {
    this.#blank = false
    this.#all[this.#at] = visit
    this.browser?.replaceState({ at: this.#at, visit } satisfies Step, '')
  }
}

const stepOf = (state: unknown) => ((state as Step | null)?.visit ? (state as Step) : undefined)
