/** The matches of an input. */
export interface Found<T> {
  items: T[]
  /** How many fit besides. */
  more: number
}
