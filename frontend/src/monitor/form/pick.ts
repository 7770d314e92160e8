/** What fits what was typed. */
export interface Found<T> {
  items: T[]
  /** How many fit besides. */
  more: number
}
