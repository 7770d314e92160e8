/** Whether two answers of the portal say the same: what is asked for again and has not changed is not drawn again. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
