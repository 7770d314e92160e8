/** Reports whether two responses are equal, so that unchanged data is not rendered again. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
