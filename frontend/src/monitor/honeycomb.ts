/**
 * Lays out the cells of a honeycomb. Cells of one kind are drawn together, not as separate elements
 * of the page.
 */

/** The worst first. */
export const sorts = ['critical', 'error', 'warning', 'not responding', 'without data', 'healthy'] as const
export type Sort = (typeof sorts)[number]

/** The number of objects of each kind, in order. */
export type Cells = readonly [
  critical: number,
  error: number,
  warning: number,
  silent: number,
  noData: number,
  healthy: number,
]

const across = 8.4 // pixels from cell to cell
const down = 7.3 // pixels from row to row
const radius = 4.2
const padding = 5

interface Band {
  sort: Sort
  /** The first cell, the number of cells, and the number of objects per cell. */
  from: number
  cells: number
  of: number
  /** The first object, and the number of objects. */
  first: number
  things: number
}

export interface Layout {
  count: number
  columns: number
  height: number
  bands: Band[]
  /** Returns the objects of a cell. */
  at(cell: number): { first: number; count: number; sort: Sort }
  place(cell: number): { x: number; y: number }
}

/** Returns the number of objects that a cell of the larger kinds represents. */
export function eachOf(cells: Cells, most: number): number {
  const total = cells.reduce((sum, n) => sum + n, 0)
  return total > most ? Math.ceil(total / most) : 1
}

/** Arranges cells in rows. Above `most`, cells of the larger kinds represent several objects. */
export function layout(cells: Cells, width: number, most: number): Layout {
  const columns = Math.max(1, Math.floor((width - 2 * padding - across / 2) / across) + 1)
  const of = eachOf(cells, most)
  const few = most / 10 // of a smaller kind each is seen
  const bands: Band[] = []
  let from = 0
  let first = 0
  cells.forEach((things, i) => {
    const each = things > few ? of : 1
    const count = Math.ceil(things / each)
    if (things) bands.push({ sort: sorts[i], from, cells: count, of: each, first, things })
    from += count
    first += things
  })
  const rows = Math.ceil(from / columns)
  return {
    count: from,
    columns,
    bands,
    height: rows ? Math.ceil((rows - 1) * down + 2 * padding) : 2 * padding,
    at(cell) {
      const band = bands.find((b) => cell < b.from + b.cells) ?? bands[bands.length - 1]
      const begun = (cell - band.from) * band.of
      return { first: band.first + begun, count: Math.min(band.of, band.things - begun), sort: band.sort }
    },
    place: (cell) => spotOf(cell, columns),
  }
}

function spotOf(cell: number, columns: number) {
  const row = Math.floor(cell / columns)
  return { x: padding + (cell % columns) * across + (row % 2 ? across / 2 : 0), y: padding + row * down }
}

/** Returns the cell at a point, -1 for none. */
export function cellAt({ columns, count }: Layout, x: number, y: number): number {
  const row = Math.round((y - padding) / down)
  const column = Math.round((x - padding - (row % 2 ? across / 2 : 0)) / across)
  const cell = row * columns + column
  return row < 0 || column < 0 || column >= columns || cell >= count ? -1 : cell
}

export function paint(canvas: HTMLCanvasElement, shape: Layout, here: number) {
  const scale = devicePixelRatio || 1
  const width = canvas.clientWidth
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(shape.height * scale)
  const ink = canvas.getContext('2d')
  if (!ink) return
  ink.scale(scale, scale)
  const style = getComputedStyle(canvas)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  for (const band of shape.bands) {
    const path = new Path2D()
    const size = {
      critical: radius + 0.4,
      error: radius,
      warning: radius - 1,
      'not responding': radius - 0.7,
      'without data': radius - 2.6,
      healthy: radius - 0.8,
    }[band.sort]
    for (let cell = band.from; cell < band.from + band.cells; cell++) hexagon(path, spotOf(cell, shape.columns), size)
    switch (band.sort) {
      case 'critical':
        ink.fillStyle = colour('--crit-fill')
        ink.fill(path)
        stroke(ink, path, colour('--text-1'), 1.2)
        break
      case 'error':
        ink.fillStyle = colour('--error-fill')
        ink.fill(path)
        break
      case 'warning':
        stroke(ink, path, colour('--warn-fill'), 2)
        break
      case 'not responding':
        stroke(ink, path, colour('--line-3'), 1)
        break
      case 'without data':
        ink.fillStyle = colour('--text-3')
        ink.fill(path)
        break
      default:
        ink.fillStyle = colour('--ok-fill')
        ink.fill(path)
    }
  }
  if (here < 0 || here >= shape.count) return
  const ring = new Path2D()
  hexagon(ring, spotOf(here, shape.columns), radius + 1.2)
  stroke(ink, ring, colour('--focus'), 2)
}

function stroke(ink: CanvasRenderingContext2D, path: Path2D, colour: string, width: number) {
  ink.strokeStyle = colour
  ink.lineWidth = width
  ink.stroke(path)
}

const corners = Array.from({ length: 6 }, (_, i) => [Math.sin((i * Math.PI) / 3), -Math.cos((i * Math.PI) / 3)])

function hexagon(path: Path2D, { x, y }: { x: number; y: number }, size: number) {
  corners.forEach(([dx, dy], i) =>
    i ? path.lineTo(x + dx * size, y + dy * size) : path.moveTo(x + dx * size, y + dy * size),
  )
  path.closePath()
}
