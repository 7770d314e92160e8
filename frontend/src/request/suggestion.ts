/** The correction that a portal's message suggests. */

export interface Suggestion {
  /** The message up to the suggested word. */
  before: string
  /** The wrong text that the message quotes; '' for the whole value. */
  wrong: string
  /** Its position in the value, in characters; -1 if the message names none. */
  at: number
  fix: string
}

/** Returns the suggestion of `no field "hostStat" at 0; did you mean hostStatus?`. */
export function suggestionOf(message: string): Suggestion | undefined {
  const end = /^(.*\bdid you mean )([^\s"]+)\?$/is.exec(message)
  if (!end) return undefined
  const [, before, fix] = end
  const quoted = /"([^"]+)"(?: at (\d+))?/.exec(before)
  return { before, fix, wrong: quoted?.[1] ?? '', at: quoted?.[2] ? Number(quoted[2]) : -1 }
}

/** Returns a value with the suggestion applied; unchanged if it no longer contains the wrong text. */
export function corrected(value: string, { wrong, at, fix }: Suggestion): string {
  if (!wrong) return fix
  const characters = [...value]
  const before = at >= 0 ? characters.slice(0, at).join('') : ''
  const from = value.startsWith(wrong, before.length) && at >= 0 ? before.length : value.indexOf(wrong)
  return from < 0 ? value : value.slice(0, from) + fix + value.slice(from + wrong.length)
}
