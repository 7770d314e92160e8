/** The matches of an input. */
export interface Found<T> {
  items: T[]
  /** The number of further matches. */
  more: number
}
