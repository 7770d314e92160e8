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
