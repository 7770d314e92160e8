/** The visible part of the map: the camera, the open boxes, and the positions of things. */
import type { Fleet } from './fleet'

/** The point of the map in the middle, and the pixels from one device to the next. */
export interface Camera {
  x: number
  y: number
  z: number
}

export interface Size {
  width: number
  height: number
}

/** A device or a closed box. */
export type Thing = { device: number; box?: undefined } | { box: number; device?: undefined }

/** The scales, in pixels from one device to the next, from which details are shown. */
export const scales = {
  dots: 4,
  lines: 14,
  shapes: 12,
  names: 72,
  instances: 150,
  most: 320,
} as const
/** A box is open if its shorter side has more pixels. */
const leastOpen = 84
const margin = 24

/** Returns the camera that shows a part of the map as large as it fits. */
export function fit(part: { x: number; y: number; width: number; height: number }, size: Size): Camera {
  const z = Math.min(
    (size.width - 2 * margin) / Math.max(1, part.width),
    (size.height - 2 * margin) / Math.max(1, part.height),
  )
  return { x: part.x + part.width / 2 - 0.5, y: part.y + part.height / 2 - 0.5, z: Math.max(0.2, Math.min(90, z)) }
}

export const whole = (fleet: Fleet, size: Size) => fit({ x: 0, y: 0, width: fleet.width, height: fleet.height }, size)

/** Returns a camera at another scale, with the same point of the map under a point of the screen. */
export function zoomed(c: Camera, factor: number, size: Size, fleet: Fleet, at = middle(size)): Camera {
  const least = Math.min(1, whole(fleet, size).z / 2)
  const z = Math.max(least, Math.min(scales.most, c.z * factor))
  const here = toMap(c, size, at)
  return { x: here.x - (at.x - size.width / 2) / z, y: here.y - (at.y - size.height / 2) / z, z }
}

const middle = (size: Size) => ({ x: size.width / 2, y: size.height / 2 })

/** Moves the camera by pixels, but not away from the map. */
export function moved(c: Camera, dx: number, dy: number, fleet: Fleet): Camera {
  const within = (at: number, most: number) => Math.max(-1, Math.min(most, at))
  return { x: within(c.x - dx / c.z, fleet.width), y: within(c.y - dy / c.z, fleet.height), z: c.z }
}

export const toMap = (c: Camera, size: Size, { x, y }: { x: number; y: number }) => ({
  x: c.x + (x - size.width / 2) / c.z,
  y: c.y + (y - size.height / 2) / c.z,
})

export const toScreen = (c: Camera, size: Size, x: number, y: number) => ({
  x: (x - c.x) * c.z + size.width / 2,
  y: (y - c.y) * c.z + size.height / 2,
})

/** Returns the camera on the way from one to another, at a part from 0 to 1 of the time. */
export function between(from: Camera, to: Camera, part: number): Camera {
  const eased = part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2
  const z = from.z * (to.z / from.z) ** eased
  // the position depends on the scale, so that the target does not move too fast
  const way = Math.abs(to.z - from.z) < 1e-6 ? eased : (1 / z - 1 / from.z) / (1 / to.z - 1 / from.z)
  return { x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way, z }
}

/** Reports whether a box shows its contents at a scale. */
export function isOpen(fleet: Fleet, box: number, z: number): boolean {
  const b = fleet.boxes[box]
  if (Math.min(b.width, b.height) * z < leastOpen && z < scales.shapes) return false
  return z >= scales.dots || b.own === 0
}

/** Returns the outermost closed box around a device, -1 if the device itself is shown. */
export function closedAround(fleet: Fleet, device: number, z: number): number {
  let closed = -1
  for (let at = fleet.of[device]; at >= 0; at = fleet.boxes[at].parent) if (!isOpen(fleet, at, z)) closed = at
  return closed
}

/** The part of the map in the window, in map units. */
export interface Window {
  left: number
  top: number
  right: number
  bottom: number
}

export function windowOf(c: Camera, size: Size): Window {
  const half = { x: size.width / 2 / c.z, y: size.height / 2 / c.z }
  return { left: c.x - half.x, top: c.y - half.y, right: c.x + half.x, bottom: c.y + half.y }
}

/** The boxes in the window, the outer ones first, and the devices, by their places. */
export interface Seen {
  open: number[]
  closed: number[]
  devices: number[]
}

/** Returns the things in the window. */
export function seen(fleet: Fleet, c: Camera, size: Size): Seen {
  const w = windowOf(c, size)
  const out: Seen = { open: [], closed: [], devices: [] }
  const visit = (index: number) => {
    const b = fleet.boxes[index]
    if (b.x > w.right + 1 || b.y > w.bottom + 1 || b.x + b.width < w.left - 1 || b.y + b.height < w.top - 1) return
    if (!isOpen(fleet, index, c.z)) {
      out.closed.push(index)
      return
    }
    out.open.push(index)
    for (let i = b.first; i < b.first + b.own; i++) {
      const x = fleet.x[i]
      const y = fleet.y[i]
      if (x >= w.left - 1 && x <= w.right + 1 && y >= w.top - 1 && y <= w.bottom + 1) out.devices.push(i)
    }
    for (const inside of b.inside) visit(inside)
  }
  for (const b of fleet.boxes) if (b.parent < 0) visit(b.index)
  return out
}

/** Returns the thing at a point of the screen. */
export function thingAt(fleet: Fleet, c: Camera, size: Size, at: { x: number; y: number }): Thing | undefined {
  const { x, y } = toMap(c, size, at)
  const device = fleet.inCell(Math.round(x), Math.round(y))
  if (device >= 0) {
    const closed = closedAround(fleet, device, c.z)
    return closed < 0 ? { device } : { box: closed }
  }
  const inside = (b: (typeof fleet.boxes)[number]) =>
    x >= b.x - 0.5 && x < b.x + b.width - 0.5 && y >= b.y - 0.5 && y < b.y + b.height - 0.5
  let found: Thing | undefined
  for (const b of fleet.boxes) {
    if (!inside(b) || isOpen(fleet, b.index, c.z)) continue
    found = { box: b.index }
    break // parents come first: it is the outermost
  }
  return found
}

/** Returns the middle of a thing, in map units. */
export function middleOf(fleet: Fleet, thing: Thing): { x: number; y: number } {
  if (thing.device !== undefined) return { x: fleet.x[thing.device], y: fleet.y[thing.device] }
  const b = fleet.boxes[thing.box]
  return { x: b.x + b.width / 2 - 0.5, y: b.y + b.height / 2 - 0.5 }
}

export const sameThing = (a: Thing | undefined, b: Thing | undefined) => a?.device === b?.device && a?.box === b?.box

export type Direction = 'left' | 'right' | 'up' | 'down'

/**
 * Returns the nearest thing in a direction; distance to the side counts more than distance ahead. Without a start, it
 * returns the thing nearest to the middle.
 */
export function next(fleet: Fleet, c: Camera, size: Size, from: Thing | undefined, to: Direction): Thing | undefined {
  const wide: Size = { width: size.width * 2, height: size.height * 2 } // includes things just outside the window
  const { closed, devices } = seen(fleet, c, from ? wide : size)
  const start = from ? middleOf(fleet, from) : c
  let best: Thing | undefined
  let least = Infinity
  const look = (thing: Thing) => {
    const at = middleOf(fleet, thing)
    const dx = at.x - start.x
    const dy = at.y - start.y
    const ahead = { left: -dx, right: dx, up: -dy, down: dy }[to]
    const aside = Math.abs(to === 'left' || to === 'right' ? dy : dx)
    if (from && ahead < 0.5) return
    const far = from ? ahead + 3 * aside : Math.hypot(dx, dy)
    if (far < least) [best, least] = [thing, far]
  }
  for (const box of closed) look({ box })
  for (const device of devices) look({ device })
  return best
}

/**
 * Dependencies of the devices of one box of which at least one end is in a closed box, drawn as one line: a line for
 * each device would cover the map, and takes 0.1 s to paint with 20,000 of them.
 */
export interface Bundle {
  from: Thing
  to: Thing
  count: number
}

/** Returns the outermost closed box around each box, -1 for none. */
export function closedBoxes(fleet: Fleet, z: number): number[] {
  const closed: number[] = []
  for (const b of fleet.boxes) {
    const around = b.parent >= 0 ? closed[b.parent] : -1
    closed.push(around >= 0 ? around : isOpen(fleet, b.index, z) ? -1 : b.index)
  }
  return closed
}

/** Returns the dependencies between different things, of which at least one is a closed box. */
export function bundles(fleet: Fleet, closed: number[]): Bundle[] {
  const boxes = fleet.boxes.length
  const all = boxes + fleet.ids.length
  const thing = (n: number): Thing => (n < boxes ? { box: n } : { device: n - boxes })
  const found = new Map<number, Bundle>()
  fleet.parents.forEach((parent, device) => {
    if (parent < 0) return
    const [inside, around] = [closed[fleet.of[device]], closed[fleet.of[parent]]]
    if (inside === around) return
    const from = inside < 0 ? fleet.of[device] : inside
    const to = around < 0 ? boxes + parent : around
    const bundle = found.get(from * all + to)
    if (bundle) bundle.count++
    else found.set(from * all + to, { from: thing(from), to: thing(to), count: 1 })
  })
  return [...found.values()]
}
