/** The map to draw: the response of the portal, with indexes to find things on it. */
import type { MonitorClient } from '../../client/monitor'

export const path = '/device/topology' as const

type Answer = Awaited<ReturnType<typeof request>>
const request = (portal: MonitorClient, layout: string, signal?: AbortSignal) =>
  portal.get(path, { query: { layout }, signal })

/** The states, the worst first: the letters of the API. */
export const letters = 'cewsun'
export type Letter = 'c' | 'e' | 'w' | 's' | 'u' | 'n'

/** A box of the map: a site or a group. */
export interface Box {
  index: number
  /** The id of the device group. */
  id: number
  name: string
  parent: number
  inside: number[]
  x: number
  y: number
  width: number
  height: number
  /** Its devices, with those of the boxes inside. */
  first: number
  count: number
  /** The devices directly in it are the first ones. */
  own: number
}

export class Fleet {
  readonly layout: string
  readonly width: number
  readonly height: number
  readonly boxes: Box[]
  readonly ids: number[]
  readonly names: string[]
  readonly x: number[]
  readonly y: number[]
  readonly of: number[]
  readonly parents: number[]
  readonly states: string
  readonly counts: number[]
  /** The place of a device by its id. */
  readonly places = new Map<number, number>()
  private lower: string[] | undefined
  private cells: Int32Array

  constructor(answer: Answer) {
    this.layout = answer.layout
    this.width = answer.width
    this.height = answer.height
    this.states = answer.states
    this.counts = answer.counts
    const { ids, names, x, y, groups, parents } = answer.devices
    this.ids = ids
    this.names = names
    this.x = x
    this.y = y
    this.of = groups
    this.parents = parents
    this.boxes = answer.groups.map((g, index) => ({ ...g, id: g.groupId, index, inside: [], own: g.count }))
    for (const box of this.boxes)
      if (box.parent >= 0) {
        const around = this.boxes[box.parent]
        around.inside.push(box.index)
        around.own -= box.count
      }
    this.cells = new Int32Array(this.width * this.height).fill(-1)
    ids.forEach((id, i) => {
      this.places.set(id, i)
      this.cells[y[i] * this.width + x[i]] = i
    })
  }

  /** Returns the same map with other states. */
  withStates(states: string, counts: number[]): Fleet {
    return Object.assign(Object.create(Fleet.prototype) as Fleet, this, { states, counts })
  }

  /** Equal for two maps that look the same. */
  toJSON() {
    return this.layout + this.states
  }

  /** Returns the device in a cell, -1 for none. */
  inCell(x: number, y: number): number {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return -1
    return this.cells[y * this.width + x]
  }

  letter(device: number): Letter {
    return this.states[device].toLowerCase() as Letter
  }

  /** Whether the alert of a device is acknowledged or in maintenance. */
  handled(device: number): boolean {
    return this.states[device] < 'a'
  }

  /** Returns how many devices of a box are in each state, the worst first. */
  countsOf(box: number): number[] {
    return this.counts.slice(box * letters.length, (box + 1) * letters.length)
  }

  /** Returns the worst state in a box. */
  worstOf(box: number): Letter {
    const counts = this.counts
    const from = box * letters.length
    for (let k = 0; k < letters.length; k++) if (counts[from + k]) return letters[k] as Letter
    return 'n'
  }

  /** Returns the names of the boxes around a device, the outermost first. */
  pathOf(device: number): string[] {
    const names = []
    for (let at = this.of[device]; at >= 0; at = this.boxes[at].parent) names.unshift(this.boxes[at].name)
    return names
  }

  /** Returns devices and boxes whose name contains a text; those that begin with it come first. */
  find(typed: string, most: number): { items: Found[]; more: number } {
    const text = typed.toLowerCase()
    this.lower ??= this.names.map((n) => n.toLowerCase())
    const begins: Found[] = []
    const contains: Found[] = []
    let more = 0
    const look = (name: string, found: () => Found) => {
      const at = name.indexOf(text)
      if (at < 0) return
      const list = at === 0 ? begins : contains
      if (list.length < most) list.push(found())
      else more++
    }
    for (const box of this.boxes)
      look(box.name.toLowerCase(), () => ({ id: -1 - box.index, name: this.pathOfBox(box).join(' › '), box }))
    this.lower.forEach((name, i) => look(name, () => ({ id: this.ids[i], name: this.names[i], device: i })))
    const items = [...begins, ...contains]
    return { items: items.slice(0, most), more: more + Math.max(0, items.length - most) }
  }

  /** Returns the names of a box and those around it, the outermost first. */
  pathOfBox(box: Box): string[] {
    const names = [box.name]
    for (let at = box.parent; at >= 0; at = this.boxes[at].parent) names.unshift(this.boxes[at].name)
    return names
  }
}

/** A match of a search. */
export interface Found {
  /** Of the device; negative for a box. */
  id: number
  name: string
  device?: number
  box?: Box
}

/** Requests the map. With the previous map, the portal sends only the changes. */
export async function load(portal: MonitorClient, before: Fleet | undefined, signal?: AbortSignal): Promise<Fleet> {
  const answer = await request(portal, before?.layout ?? '', signal)
  if (!before || answer.layout !== before.layout) return new Fleet(answer)
  return answer.states === before.states ? before : before.withStates(answer.states, answer.counts)
}
