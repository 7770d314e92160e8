/**
 * The last segments of a path that fit so many characters, behind an ellipsis:
 * `…/devices/{id}`. The last one always, however long.
 */
export function lastSegments(path: string, characters: number): string {
  const segments = path.split('/')
  let end = segments.pop() ?? ''
  if (!end && segments.length) end = `${segments.pop()}/`
  while (segments.length && `…/${segments[segments.length - 1]}/${end}`.length <= characters) end = `${segments.pop()}/${end}`
  return segments.some(Boolean) ? `…/${end}` : path
}

/** The same with the places of its marks, as far as they can still be seen. */
export function markedEnd(path: string, marks: readonly number[], characters: number): { text: string; marks: number[] } {
  if (path.length <= characters) return { text: path, marks: [...marks] }
  const text = lastSegments(path, characters)
  const gone = path.length - text.length
  return { text, marks: text === path ? [...marks] : marks.filter((m) => m > gone).map((m) => m - gone) }
}
