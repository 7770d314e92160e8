/** A column of a live table. */
export interface Column {
  id: string
  /** Its heading; '' for actions. */
  label: string
  /** Its accessible name if it has no heading. */
  name?: string
  /** A track of a CSS grid: `82px`, `minmax(0, 2fr)`. */
  width: string
  align?: 'right'
  /** The field of the API to sort by. */
  sort?: string
  /** Sorts in descending order first. */
  down?: boolean
}

/** Selected rows by key. */
export type Selected<T> = ReadonlyMap<string, T>

/** Minimum width of a row in pixels: a narrower list scrolls horizontally. */
export const leastWidth = (columns: readonly { width: string }[], beside = 0) =>
  columns.reduce((sum, c) => sum + Number(/(\d+)px/.exec(c.width)?.[1] ?? 72) + gap, beside + gap)
const gap = 12
