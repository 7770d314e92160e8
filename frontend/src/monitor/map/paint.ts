/**
 * Paints the part of the map in the window, with the details that its scale has room for. It uses a canvas instead of
 * WebGL: without a GPU, sigma.js 4 paints 20,000 devices less than once a second, while this takes 10 to 44 ms of CPU.
 */
import { number } from '../../ui/locale'
import { type Fleet, letters, type Letter } from './fleet'
import {
  bundles,
  type Bundle,
  type Camera,
  closedBoxes,
  closedAround,
  middleOf,
  scales,
  seen,
  type Size,
  type Thing,
  toScreen,
} from './view'

export interface Instance {
  instanceId: number
  displayName: string
  state: string
}

/** The marks on the map. */
export interface Marks {
  focus?: Thing
  hover?: Thing
  selected?: number
  /** The devices that are not dimmed; all if it is undefined. */
  lit?: Set<number>
  path?: Thing[]
}

/** The colors of a theme, and its fonts. */
export interface Colours {
  fill: Record<Letter, string>
  back: Record<Letter, string>
  ground: string
  box: string
  line: string
  border: string
  text: string
  faint: string
  accent: string
  path: string
  focus: string
  font: string
}

/** Reads the colors of the theme. */
export function coloursOf(of: Element): Colours {
  const style = getComputedStyle(of)
  const get = (name: string) => style.getPropertyValue(name).trim()
  return {
    fill: {
      c: get('--crit-fill'),
      e: get('--error-fill'),
      w: get('--warn-fill'),
      s: get('--text-2'),
      u: get('--text-3'),
      n: get('--ok-fill'),
    },
    back: {
      c: get('--crit-bg'),
      e: get('--error-bg'),
      w: get('--warn-bg'),
      s: get('--bg-field'),
      u: get('--bg-field'),
      n: get('--bg-field'),
    },
    ground: get('--bg-panel'),
    box: get('--bg-chrome'),
    line: get('--line-3'),
    border: get('--line-2'),
    text: get('--text-1'),
    faint: get('--text-2'),
    accent: get('--accent'),
    path: get('--brass'),
    focus: get('--focus'),
    font: `${get('--fs-12')} ${get('--font-ui')}`,
  }
}

/** Paints frames of one map, and caches the parts that they share. */
export class Painter {
  #bundles: { fleet: Fleet; closed: string; all: Bundle[] } | undefined

  paint(
    canvas: HTMLCanvasElement,
    fleet: Fleet,
    camera: Camera,
    size: Size,
    marks: Marks,
    colours: Colours,
    instances: Map<number, Instance[]>,
  ) {
    const density = devicePixelRatio || 1
    const width = Math.round(size.width * density)
    const height = Math.round(size.height * density)
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    const ink = canvas.getContext('2d', { alpha: false })
    if (!ink) return
    ink.setTransform(density, 0, 0, density, 0, 0)
    ink.fillStyle = colours.ground
    ink.fillRect(0, 0, size.width, size.height)
    ink.font = colours.font
    ink.textBaseline = 'middle'
    new Frame(ink, fleet, camera, size, marks, colours, instances, this.#bundlesOf(fleet, camera.z)).draw()
  }

  #bundlesOf(fleet: Fleet, z: number): Bundle[] {
    const boxes = closedBoxes(fleet, z)
    const closed = boxes.join()
    const had = this.#bundles
    // new states do not move lines
    if (had?.closed !== closed || had.fleet.layout !== fleet.layout)
      this.#bundles = { fleet, closed, all: bundles(fleet, boxes) }
    return this.#bundles!.all
  }
}

class Frame {
  #names: { x: number; y: number; width: number; box: number }[] = []

  constructor(
    private ink: CanvasRenderingContext2D,
    private fleet: Fleet,
    private camera: Camera,
    private size: Size,
    private marks: Marks,
    private colours: Colours,
    private instances: Map<number, Instance[]>,
    private bundles: Bundle[],
  ) {}

  draw() {
    const { open, closed, devices } = seen(this.fleet, this.camera, this.size)
    for (const box of open) this.#open(box)
    this.#lines(devices)
    for (const box of closed) this.#closed(box)
    const { lit } = this.marks
    if (lit) {
      this.ink.globalAlpha = 0.28
      this.#devices(devices.filter((d) => !lit.has(d)))
      this.ink.globalAlpha = 1
    }
    this.#litLines()
    this.#devices(lit ? devices.filter((d) => lit.has(d)) : devices)
    for (const n of this.#names) this.#name(n)
    this.#path()
    const { hover, focus, selected } = this.marks
    if (selected !== undefined) this.#ring({ device: selected }, this.colours.accent, 2)
    if (hover) this.#ring(hover, this.colours.faint, 1)
    if (focus) this.#ring(focus, this.colours.focus, 2)
  }

  #at(x: number, y: number) {
    return toScreen(this.camera, this.size, x, y)
  }

  #rect(box: number) {
    const b = this.fleet.boxes[box]
    const { x, y } = this.#at(b.x - 0.5, b.y - 0.5)
    return { x, y, width: b.width * this.camera.z, height: b.height * this.camera.z }
  }

  #open(box: number) {
    const { ink, colours } = this
    const r = this.#rect(box)
    ink.fillStyle = this.fleet.boxes[box].parent < 0 ? colours.box : colours.ground
    ink.strokeStyle = colours.border
    ink.lineWidth = 1
    rounded(ink, r, 6)
    ink.fill()
    ink.stroke()
    if (r.width > 48) this.#names.push({ x: Math.max(r.x, 0), y: Math.max(r.y, 0), width: r.width, box })
  }

  /** Paints the name of an open box at its top edge, or at that of the window. */
  #name({ x, y, width, box }: { x: number; y: number; width: number; box: number }) {
    const { ink, colours, fleet } = this
    const b = fleet.boxes[box]
    const bottom = this.#at(0, b.y + b.height - 0.5).y
    const right = this.#at(b.x + b.width - 0.5, 0).x
    let depth = 0
    for (let up = b.parent; up >= 0; up = fleet.boxes[up].parent) depth++
    const top = Math.max(y + 4, 4 + (y > 0 ? 0 : depth * 20))
    const most = Math.min(width, right - x) - 14
    if (top + 20 > bottom || most < 40) return
    const text = this.#cut(b.name, most - 22)
    const wide = ink.measureText(text).width + 26
    ink.globalAlpha = 0.9
    ink.fillStyle = colours.box
    rounded(ink, { x: x + 5, y: top, width: wide, height: 18 }, 4)
    ink.fill()
    ink.globalAlpha = 1
    glyph(ink, fleet.worstOf(box), x + 15, top + 9, 4.5, colours)
    ink.fillStyle = colours.text
    ink.fillText(text, x + 25, top + 9.5)
  }

  #closed(box: number) {
    const { ink, colours, fleet } = this
    const r = this.#rect(box)
    const worst = fleet.worstOf(box)
    const b = fleet.boxes[box]
    ink.globalAlpha = this.#dimmed(box) ? 0.4 : 1
    ink.fillStyle = colours.back[worst]
    ink.strokeStyle = worst === 'n' ? colours.border : colours.fill[worst]
    ink.lineWidth = worst === 'n' ? 1 : 1.5
    rounded(ink, r, Math.min(8, r.height / 5))
    ink.fill()
    ink.stroke()
    const middle = { x: r.x + r.width / 2, y: r.y + r.height / 2 }
    const counts = fleet.countsOf(box)
    const bad = counts.slice(0, 4).reduce((sum, n) => sum + n, 0)
    const count = bad ? `${number(bad)} / ${number(b.count)}` : number(b.count)
    ink.textAlign = 'center'
    if (r.width > 40 && r.height > 34) {
      ink.fillStyle = colours.text
      ink.fillText(this.#cut(b.name, r.width - 6), middle.x, middle.y - 8)
      const wide = ink.measureText(count).width
      glyph(ink, worst, middle.x - wide / 2 - 4, middle.y + 9, 4.5, colours)
      ink.fillStyle = colours.faint
      ink.fillText(count, middle.x + 5, middle.y + 9.5)
    } else if (r.width > 10 && r.height > 10) glyph(ink, worst, middle.x, middle.y, Math.min(5, r.height / 3), colours)
    ink.textAlign = 'left'
    ink.globalAlpha = 1
  }

  /** Reports whether a box has no highlighted device. */
  #dimmed(box: number): boolean {
    const { lit } = this.marks
    if (!lit) return false
    const { first, count } = this.fleet.boxes[box]
    for (const d of lit) if (d >= first && d < first + count) return false
    return true
  }

  #devices(devices: number[]) {
    const { z } = this.camera
    if (z < scales.shapes) this.#dots(devices)
    else if (z < scales.instances) this.#shapes(devices)
    else for (const d of devices) this.#card(d)
  }

  /** Paints small squares, larger for worse states. Squares of the same state are painted together. */
  #dots(devices: number[]) {
    const { ink, fleet, colours } = this
    const { z } = this.camera
    const by: Record<string, number[]> = {}
    for (const d of devices) (by[fleet.letter(d)] ??= []).push(d)
    for (const letter of [...letters].reverse() as Letter[]) {
      const side = z * { c: 0.9, e: 0.86, w: 0.74, s: 0.7, u: 0.36, n: 0.6 }[letter]
      const hollow = letter === 'w' || letter === 's'
      ink.fillStyle = ink.strokeStyle = colours.fill[letter]
      ink.lineWidth = letter === 'w' ? Math.max(1, z / 5) : 1
      for (const d of by[letter] ?? []) {
        const { x, y } = this.#at(fleet.x[d], fleet.y[d])
        if (hollow) ink.strokeRect(x - side / 2, y - side / 2, side, side)
        else ink.fillRect(x - side / 2, y - side / 2, side, side)
      }
      if (letter !== 'c') continue
      ink.strokeStyle = colours.text // the outline distinguishes critical from error without color
      for (const d of by.c ?? []) {
        const { x, y } = this.#at(fleet.x[d], fleet.y[d])
        ink.strokeRect(x - side / 2, y - side / 2, side, side)
      }
    }
  }

  #shapes(devices: number[]) {
    const { ink, fleet, colours } = this
    const { z } = this.camera
    const named = z >= scales.names
    const radius = Math.min(9, z * 0.34)
    const rise = named ? 8 : 0
    ink.textAlign = 'center'
    // healthy devices are most of them: thousands of single shapes take twice as long as one of thousands of parts
    ink.fillStyle = colours.fill.n
    ink.beginPath()
    for (const d of devices) {
      if (fleet.letter(d) !== 'n') continue
      const { x, y } = this.#at(fleet.x[d], fleet.y[d])
      dot(ink, x, y - rise, radius)
    }
    ink.fill()
    for (const d of devices) {
      const letter = fleet.letter(d)
      const { x, y } = this.#at(fleet.x[d], fleet.y[d])
      const up = y - rise
      if (letter !== 'n') glyph(ink, letter, x, up, radius, colours)
      if (fleet.handled(d)) handledRing(ink, x, up, radius + 3, colours)
      if (!named) continue
      ink.fillStyle = colours.text
      ink.fillText(this.#cut(fleet.names[d], z - 6), x, up + 20)
    }
    ink.textAlign = 'left'
  }

  /** Paints a device with its instances. */
  #card(device: number) {
    const { ink, fleet, colours } = this
    const { z } = this.camera
    const { x, y } = this.#at(fleet.x[device], fleet.y[device])
    const r = { x: x - z * 0.46, y: y - z * 0.46, width: z * 0.92, height: z * 0.92 }
    const letter = fleet.letter(device)
    ink.fillStyle = colours.back[letter]
    ink.strokeStyle = colours.border
    ink.lineWidth = 1
    rounded(ink, r, 6)
    ink.fill()
    ink.stroke()
    glyph(ink, letter, r.x + 16, r.y + 15, 6, colours)
    if (fleet.handled(device)) handledRing(ink, r.x + 16, r.y + 15, 9, colours)
    ink.fillStyle = colours.text
    ink.fillText(this.#cut(fleet.names[device], r.width - 40), r.x + 30, r.y + 15.5)
    const all = this.instances.get(fleet.ids[device]) ?? []
    const room = Math.max(0, Math.floor((r.height - 36) / 17))
    const shown = all.length > room ? room - 1 : all.length
    all.slice(0, shown).forEach((one, i) => {
      const top = r.y + 38 + 17 * i
      glyph(ink, one.state.toLowerCase() as Letter, r.x + 16, top, 4, colours)
      ink.fillStyle = colours.faint
      ink.fillText(this.#cut(one.displayName, r.width - 40), r.x + 30, top + 0.5)
    })
    if (all.length > shown) ink.fillText(`+${number(all.length - shown)}`, r.x + 30, r.y + 38.5 + 17 * shown)
  }

  #lines(devices: number[]) {
    const { ink, colours, fleet } = this
    ink.strokeStyle = colours.line
    ink.globalAlpha = this.marks.lit ? 0.2 : 0.55
    for (const b of this.bundles) {
      ink.lineWidth = Math.min(5, 0.6 + Math.log2(b.count + 1) / 2)
      this.#line([b.from, b.to])
    }
    if (this.camera.z >= scales.lines) {
      ink.lineWidth = 1
      ink.beginPath()
      for (const device of devices) {
        const parent = fleet.parents[device]
        if (parent < 0 || closedAround(fleet, parent, this.camera.z) >= 0) continue
        const from = this.#at(fleet.x[device], fleet.y[device])
        const to = this.#at(fleet.x[parent], fleet.y[parent])
        ink.moveTo(from.x, from.y)
        ink.lineTo(to.x, to.y)
      }
      ink.stroke()
    }
    ink.globalAlpha = 1
  }

  /** Paints the dependencies among the highlighted devices. */
  #litLines() {
    const { lit, path } = this.marks
    if (!lit || path) return
    const { ink, fleet, colours } = this
    ink.strokeStyle = colours.accent
    ink.lineWidth = 1.5
    ink.globalAlpha = lit.size > 200 ? 0.35 : 0.8
    ink.beginPath()
    for (const device of lit) {
      const parent = fleet.parents[device]
      if (parent < 0 || !lit.has(parent)) continue
      const from = this.#shownAs(device)
      const to = this.#shownAs(parent)
      ink.moveTo(from.x, from.y)
      ink.lineTo(to.x, to.y)
    }
    ink.stroke()
    ink.globalAlpha = 1
  }

  #path() {
    const { path } = this.marks
    if (!path) return
    const { ink, colours } = this
    ink.strokeStyle = colours.path
    ink.lineWidth = 3
    ink.setLineDash([8, 4])
    this.#line(path)
    ink.setLineDash([])
    for (const thing of [path[0], path[path.length - 1]])
      if (thing.device !== undefined) this.#ring(thing, colours.path, 3)
  }

  #line(things: Thing[]) {
    const { ink, fleet } = this
    ink.beginPath()
    things.forEach((thing, i) => {
      const middle = middleOf(fleet, thing)
      const { x, y } = thing.device === undefined ? this.#at(middle.x, middle.y) : this.#shownAs(thing.device)
      if (i) ink.lineTo(x, y)
      else ink.moveTo(x, y)
    })
    ink.stroke()
  }

  /** Returns the position on the screen of a device, or of the closed box around it. */
  #shownAs(device: number) {
    const box = closedAround(this.fleet, device, this.camera.z)
    const { x, y } = middleOf(this.fleet, box < 0 ? { device } : { box })
    return this.#at(x, y)
  }

  #ring(thing: Thing, colour: string, width: number) {
    const { ink, fleet } = this
    const { z } = this.camera
    const box = thing.device === undefined ? thing.box : Math.max(-1, closedAround(fleet, thing.device, this.camera.z))
    ink.strokeStyle = colour
    ink.lineWidth = width
    if (box >= 0) rounded(ink, grown(this.#rect(box), 2), 8)
    else {
      const { x, y } = this.#at(fleet.x[thing.device!], fleet.y[thing.device!])
      const half = Math.max(6, z * 0.48)
      rounded(ink, { x: x - half, y: y - half, width: 2 * half, height: 2 * half }, Math.min(6, half / 2))
    }
    ink.stroke()
  }

  /** Cuts a text to a width. */
  #cut(text: string, width: number): string {
    const has = this.ink.measureText(text).width
    if (has <= width) return text
    const letters = Math.floor((text.length * width) / has) - 1
    return letters > 0 ? `${text.slice(0, letters)}…` : ''
  }
}

interface Rect {
  x: number
  y: number
  width: number
  height: number
}

const grown = (r: Rect, by: number) => ({
  x: r.x - by,
  y: r.y - by,
  width: r.width + 2 * by,
  height: r.height + 2 * by,
})

function rounded(ink: CanvasRenderingContext2D, { x, y, width, height }: Rect, radius: number) {
  ink.beginPath()
  ink.roundRect(x, y, width, height, radius)
}

function handledRing(ink: CanvasRenderingContext2D, x: number, y: number, radius: number, colours: Colours) {
  ink.strokeStyle = colours.faint
  ink.lineWidth = 1
  ink.setLineDash([2, 2])
  ink.beginPath()
  ink.arc(x, y, radius, 0, 2 * Math.PI)
  ink.stroke()
  ink.setLineDash([])
}

/** Paints the shape of a state: the same shapes as Glyph, with one for a device that does not respond. */
function glyph(
  ink: CanvasRenderingContext2D,
  letter: Letter,
  x: number,
  y: number,
  radius: number,
  { fill, ground }: Colours,
) {
  ink.fillStyle = ink.strokeStyle = fill[letter]
  ink.lineWidth = Math.max(1, radius / 5)
  ink.beginPath()
  switch (letter) {
    case 'c':
      ink.moveTo(x, y - radius)
      ink.lineTo(x + radius, y)
      ink.lineTo(x, y + radius)
      ink.lineTo(x - radius, y)
      ink.fill()
      if (radius < 4) return
      ink.fillStyle = ground
      ink.fillRect(x - radius / 10, y - radius * 0.42, radius / 5, radius * 0.5)
      ink.fillRect(x - radius / 10, y + radius * 0.24, radius / 5, radius / 5)
      return
    case 'e':
      ink.moveTo(x, y - radius * 0.9)
      ink.lineTo(x + radius, y + radius * 0.8)
      ink.lineTo(x - radius, y + radius * 0.8)
      ink.fill()
      return
    case 'w':
      ink.arc(x, y, radius * 0.8, 0, 2 * Math.PI)
      ink.stroke()
      ink.beginPath()
      ink.arc(x, y, radius * 0.8, 0, Math.PI)
      ink.fill()
      return
    case 's': {
      const reach = radius * 0.36
      ink.arc(x, y, radius * 0.8, 0, 2 * Math.PI)
      ink.moveTo(x - reach, y - reach)
      ink.lineTo(x + reach, y + reach)
      ink.moveTo(x + reach, y - reach)
      ink.lineTo(x - reach, y + reach)
      ink.stroke()
      return
    }
    case 'u':
      for (const dx of [-0.6, 0, 0.6])
        ink.fillRect(x + dx * radius - radius / 8, y - radius / 8, radius / 4, radius / 4)
      return
    default:
      dot(ink, x, y, radius)
      ink.fill()
  }
}

/** Adds the shape of a healthy device to the path. */
function dot(ink: CanvasRenderingContext2D, x: number, y: number, radius: number) {
  ink.moveTo(x + radius * 0.55, y)
  ink.arc(x, y, radius * 0.55, 0, 2 * Math.PI)
}
