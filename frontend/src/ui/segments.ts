/**
 * Returns the last segments of a path that fit into a number of characters, after an ellipsis: `…/devices/{id}`. A last
 * segment that is too long is shortened in the middle, unless it has a {{variable}}.
 */
export function lastSegments(path: string, characters: number): string {
  return cutOf(path, characters).text
}

/** The same, with the positions of the marks that stay visible. */
export function markedEnd(
  path: string,
  marks: readonly number[],
  characters: number,
): { text: string; marks: number[] } {
  const { text, from, gone } = cutOf(path, characters)
  const shift = path.length - text.length
  if (!gone) return { text, marks: text === path ? [...marks] : marks.filter((m) => m > shift).map((m) => m - shift) }
  const before = marks.filter((m) => m >= from && m < gone[0]).map((m) => m - from + text.indexOf('/') + 1)
  return { text, marks: [...before, ...marks.filter((m) => m >= gone[1]).map((m) => m - shift)] }
}

/** Returns the shortened path, the position of its last segments in the path, and the removed range. */
function cutOf(path: string, characters: number): { text: string; from: number; gone?: [number, number] } {
  if (path.length <= characters) return { text: path, from: 0 }
  const segments = path.split('/')
  let end = segments.pop() ?? ''
  if (!end && segments.length) end = `${segments.pop()}/`
  while (segments.length && `…/${segments[segments.length - 1]}/${end}`.length <= characters)
    end = `${segments.pop()}/${end}`
  const lead = segments.some(Boolean) ? '…/' : path.slice(0, path.length - end.length)
  const from = path.length - end.length
  const room = characters - lead.length - 1 // the last character is the ellipsis
  if (end.length <= room + 1 || room < least || end.includes('{{')) return { text: lead + end, from }
  const head = Math.floor(room / 3)
  const gone: [number, number] = [from + head, path.length - (room - head)]
  return { text: `${lead}${path.slice(from, gone[0])}…${path.slice(gone[1])}`, from, gone }
}

/** Returns the distinctive end of a path: the last segment, and for an id also the one before. */
export function tellingEnd(path: string): string {
  const segments = path.split('/')
  const count = /^(?:\d+|\{.*\})$/.test(segments.at(-1) ?? '') ? 2 : 1
  return segments.slice(0, -count).some(Boolean) ? `…/${segments.slice(-count).join('/')}` : path
}

/** Minimum characters of a shortened segment; below that it stays whole, and CSS truncates it. */
const least = 6
