/** Edits a body as a form: each edit of the JSON text leaves the rest unchanged. */
import type { Kind, Member, Node } from './json'

/** A disabled body field: its place, and its unchanged text. */
export interface OffField {
  /** Keys and indexes to the object it belongs to. */
  parent: (string | number)[]
  /** Its index among the members of that object. */
  at: number
  /** The member's text: `"name": "x"`. */
  text: string
}

/** Returns the text of a value in its field: a string without its quotes, other values unchanged. */
export function shown(text: string, node: Node): string {
  const raw = text.slice(node.start, node.end)
  return node.kind === 'string' ? (JSON.parse(raw) as string) : raw
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const variable = /^\{\{[^{}]*\}\}$/

/**
 * Returns the JSON text of the input in a field of a kind, or undefined if it is invalid: a number field takes numbers
 * (spelled as typed) and {{variables}}.
 */
export function written(kind: Kind, typed: string): string | undefined {
  switch (kind) {
    case 'string':
      return JSON.stringify(typed)
    case 'number':
      return number.test(typed.trim()) || variable.test(typed.trim()) ? typed.trim() : undefined
    case 'variable':
      return variable.test(typed.trim()) || number.test(typed.trim()) ? typed.trim() : undefined
    case 'boolean':
      return typed === 'true' || typed === 'false' ? typed : undefined
    case 'null':
      return 'null'
    default:
      return undefined
  }
}

/** Returns the text with the value replaced. */
export function setValue(text: string, node: Node, json: string): string {
  return text.slice(0, node.start) + json + text.slice(node.end)
}

export function renameKey(text: string, member: Member, key: string): string {
  return text.slice(0, member.start) + JSON.stringify(key) + text.slice(member.keyEnd)
}

/** Converts the value to another kind as far as possible: "5" becomes 5. */
export function converted(text: string, node: Node, kind: Kind): string {
  const now = shown(text, node)
  switch (kind) {
    case 'string':
      return JSON.stringify(node.kind === 'null' ? '' : now)
    case 'number':
      return number.test(now.trim()) ? now.trim() : '0'
    case 'boolean':
      return now === 'true' ? 'true' : 'false'
    case 'object':
      return '{}'
    case 'array':
      return '[]'
    case 'variable':
      return '{{}}'
    default:
      return 'null'
  }
}

/** Returns the text without the parent's n-th member, its comma and its line. */
export function removeMember(text: string, parent: Node, n: number): string {
  const { members } = parent
  const member = members[n]
  const previous = members[n - 1]
  const next = members[n + 1]
  if (next) return text.slice(0, member.start) + text.slice(next.start)
  if (previous) return text.slice(0, previous.value.end) + text.slice(member.value.end)
  return text.slice(0, parent.start + 1) + text.slice(parent.end - 1)
}

/** Returns the text with a new n-th member of the parent, formatted like its neighbours. */
export function insertMember(text: string, parent: Node, n: number, member: string): string {
  const { members } = parent
  if (members.length === 0) {
    const indent = indentAt(text, parent.start)
    return text.slice(0, parent.start + 1) + `\n${indent}  ${member}\n${indent}` + text.slice(parent.end - 1)
  }
  const gap = text.slice(parent.start + 1, members[0].start)
  if (n >= members.length) {
    const end = members[members.length - 1].value.end
    return `${text.slice(0, end)},${gap || ' '}${member}${text.slice(end)}`
  }
  const start = members[n].start
  return `${text.slice(0, start)}${member},${gap || ' '}${text.slice(start)}`
}

/** Returns the text with two members of the parent swapped; the text between them stays. */
export function swapMembers(text: string, parent: Node, a: number, b: number): string {
  const [first, second] = [parent.members[Math.min(a, b)], parent.members[Math.max(a, b)]]
  const piece = (m: Member) => text.slice(m.start, m.value.end)
  return (
    text.slice(0, first.start) +
    piece(second) +
    text.slice(first.value.end, second.start) +
    piece(first) +
    text.slice(second.value.end)
  )
}

/** Returns the text with the member moved to another index. */
export function moveMember(
  text: string,
  parent: Node,
  from: number,
  to: number,
  read: (text: string) => Node | undefined,
): string {
  const by = Math.sign(to - from)
  let now: Node | undefined = parent
  for (let at = from; at !== to && now; at += by) {
    text = swapMembers(text, now, at, at + by)
    now = read(text)
  }
  return text
}

type Path = OffField['parent']

const within = (path: Path, parent: Path) => path.length > parent.length && parent.every((step, i) => step === path[i])

/**
 * Returns disabled fields after the members of a parent were moved: `place` returns the new index,
 * or undefined for a removed member.
 */
export function movedOff(
  off: OffField[],
  parent: Path,
  place: (step: string | number) => string | number | undefined,
): OffField[] {
  return off.flatMap((f) => {
    if (!within(f.parent, parent)) return [f]
    const to = place(f.parent[parent.length])
    return to === undefined ? [] : [{ ...f, parent: [...parent, to, ...f.parent.slice(parent.length + 1)] }]
  })
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** Returns the node at a path of keys and indexes; for duplicate keys, the last one. */
export function nodeAt(root: Node, path: readonly (string | number)[]): Node | undefined {
  let node: Node | undefined = root
  for (const step of path) {
    node = typeof step === 'number' ? node?.members[step]?.value : node?.members.findLast((m) => m.key === step)?.value
  }
  return node
}
