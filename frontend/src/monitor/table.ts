/** A column of a live table. */
export interface Column {
  id: string
  /** Its head; '' for actions. */
  label: string
  /** What it is called where it has no head. */
  name?: string
  /** A track of a CSS grid: `82px`, `minmax(0, 2fr)`. */
  width: string
  align?: 'right'
  /** The field of the API that it sorts by. */
  sort?: string
  /** Sorted first with the largest on top. */
  down?: boolean
}

/** Selected rows, by their keys. */
export type Picked<T> = ReadonlyMap<string, T>

/** Minimum width of a row in pixels: a narrower list scrolls horizontally. */
export const leastWidth = (columns: readonly { width: string }[], beside = 0) =>
  columns.reduce((sum, c) => sum + Number(/(\d+)px/.exec(c.width)?.[1] ?? 72) + gap, beside + gap)
const gap = 12
