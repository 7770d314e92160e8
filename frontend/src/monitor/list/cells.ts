import type { IconName } from '../../ui/icons'

export type Tone = 'crit' | 'error' | 'warn' | 'ok'

/** What stands in a cell; a word before a colour. */
export interface Cell {
  text: string
  /** A silhouette before the word. */
  tone?: Tone
  icon?: IconName
  /** In the typeface of what the API said. */
  code?: boolean
  quiet?: boolean
  /** Several short words, each framed. */
  chips?: string[]
  /** What a pointer is told. */
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
