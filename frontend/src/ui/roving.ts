/**
 * Returns the entry that an arrow key, Home or End moves to, from the one at an index or from none (-1). Wraps around.
 * Returns undefined for any other key.
 */
export function step(key: string, at: number, count: number, axis: 'row' | 'column'): number | undefined {
  const [back, on] = axis === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown']
  const to = { [on]: at + 1, [back]: at < 0 ? count - 1 : at - 1, Home: 0, End: count - 1 }[key]
  return to === undefined || count === 0 ? undefined : (to + count) % count
}

/** Returns the next entry after an index, around the end, whose text begins with the typed letter. */
export function named(e: KeyboardEvent, at: number, texts: string[]): number | undefined {
  if (e.key.length !== 1 || e.key === ' ' || e.ctrlKey || e.metaKey || e.altKey) return undefined
  const letter = e.key.toLowerCase()
  for (let i = 1; i <= texts.length; i++) {
    const to = (at + i) % texts.length
    if (texts[to].trim().toLowerCase().startsWith(letter)) return to
  }
}
