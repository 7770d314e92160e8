import type { IconName } from '../../ui/icons'

export type Tone = 'crit' | 'error' | 'warn' | 'ok'

/** The contents of a cell, as text and color. */
export interface Cell {
  text: string
  /** A silhouette before the word. */
  tone?: Tone
  icon?: IconName
  /** Show in a monospaced font. */
  code?: boolean
  quiet?: boolean
  /** Several short words, each framed. */
  chips?: string[]
  /** The tooltip. */
  title?: string
}

export interface Column<T> {
  id: string
  label: string
  /** A track of a CSS grid. */
  width: string
  cell(row: T): Cell | string
  /** The field that the portal sorts by. */
  sort?: string
  number?: boolean
  /** Left out where the list is narrow. */
  wide?: boolean
}

export function asCell(cell: Cell | string): Cell {
  return typeof cell === 'string' ? { text: cell } : cell
}
