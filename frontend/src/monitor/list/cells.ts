import type { IconName } from '../../ui/icons'

export type Tone = 'crit' | 'error' | 'warn' | 'ok'

/** The contents of a cell, as text and color. */
export interface Cell {
  text: string
  /** An icon before the word. */
  tone?: Tone
  icon?: IconName
  /** Show in a monospaced font. */
  code?: boolean
  quiet?: boolean
  /** Short words, each in a frame. */
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
  /** Hidden in a narrow list. */
  wide?: boolean
}

export function asCell(cell: Cell | string): Cell {
  return typeof cell === 'string' ? { text: cell } : cell
}
