/**
 * Parses JSON text to a tree of positions in that text. The form edits the text at those positions,
 * so whatever it does not touch (number spellings, key order, duplicate keys, white space) stays
 * exactly as typed. A bare {{variable}} is allowed in place of a value.
 */

import { text as words } from './text'

export type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'variable'

/** A value at text[start..end). */
export interface Node {
  kind: Kind
  start: number
  end: number
  members: Member[]
}

/** One entry of an object or array; start is that of its key or, in an array, of its value. */
export interface Member {
  start: number
  /** Undefined in an array. */
  key: string | undefined
  keyEnd: number
  value: Node
}

export interface Problem {
  at: number
  /** From 1. */
  line: number
  /** From 1. */
  column: number
  message: string
}

export type Parsed = { root: Node; problem?: undefined } | { root?: undefined; problem: Problem | undefined }

/** The tree, or the error; an empty text has neither. */
export function parse(text: string): Parsed {
  if (text.trim() === '') return { problem: undefined }
  try {
    return { root: new Parser(text).document() }
  } catch (e) {
    if (!(e instanceof Stop)) throw e
    const before = text.slice(0, e.at)
    const line = before.split('\n').length
    return { problem: { at: e.at, line, column: e.at - before.lastIndexOf('\n'), message: e.message } }
  }
}

class Stop extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message)
  }
}

const deepest = 200

class Parser {
  #at = 0

  constructor(private text: string) {}

  document(): Node {
    const root = this.#value(0)
    this.#space()
    if (this.#at < this.text.length) throw new Stop(this.#at, words.json.unexpectedTextAfter)
    return root
  }

  #value(depth: number): Node {
    if (depth > deepest) throw new Stop(this.#at, words.json.nestedTooDeep)
    this.#space()
    const start = this.#at
    const c = this.text[start]
    if (c === undefined) throw new Stop(start, words.json.aValueIs)
    if (this.text.startsWith('{{', start)) {
      const variable = /\{\{[^{}]*\}\}/y
      variable.lastIndex = start
      if (variable.test(this.text)) return this.#leaf('variable', start, variable.lastIndex)
    }
    if (c === '{') return this.#list('object', '}', depth)
    if (c === '[') return this.#list('array', ']', depth)
    if (c === '"') return this.#leaf('string', start, this.#stringEnd())
    const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b/y
    word.lastIndex = start
    const m = word.exec(this.text)
    if (!m) throw new Stop(start, c === "'" ? words.json.stringsAreQuoted : words.json.notAJson)
    const kind: Kind = m[0] === 'null' ? 'null' : m[0] === 'true' || m[0] === 'false' ? 'boolean' : 'number'
    return this.#leaf(kind, start, word.lastIndex)
  }

  #list(kind: 'object' | 'array', close: string, depth: number): Node {
    const start = this.#at++
    const members: Member[] = []
    this.#space()
    if (this.text[this.#at] === close) return { kind, start, end: ++this.#at, members }
    for (;;) {
      members.push(kind === 'object' ? this.#member(depth) : this.#item(depth))
      this.#space()
      const c = this.text[this.#at]
      if (c === close) return { kind, start, end: ++this.#at, members }
      if (c !== ',')
        throw new Stop(this.#at, c === undefined ? words.json.isMissing(close) : words.json.orExpected(close))
      this.#at++
    }
  }

  #item(depth: number): Member {
    const value = this.#value(depth + 1)
    return { start: value.start, key: undefined, keyEnd: value.start, value }
  }

  #member(depth: number): Member {
    this.#space()
    const start = this.#at
    if (this.text[start] !== '"') throw new Stop(start, words.json.aKeyIn)
    const keyEnd = this.#stringEnd()
    this.#space()
    if (this.text[this.#at] !== ':') throw new Stop(this.#at, words.json.expectedAfterThe)
    this.#at++
    return { start, key: JSON.parse(this.text.slice(start, keyEnd)) as string, keyEnd, value: this.#value(depth + 1) }
  }

  #stringEnd(): number {
    const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
    for (let at = this.#at + 1; ;) {
      const c = this.text.charCodeAt(at)
      if (c === 0x22) return (this.#at = at + 1)
      if (Number.isNaN(c) || c < 0x20) throw new Stop(at, words.json.theStringDoes)
      if (c !== 0x5c) at++
      else {
        escape.lastIndex = at
        if (!escape.test(this.text)) throw new Stop(at, words.json.notAJsonEscape)
        at = escape.lastIndex
      }
    }
  }

  #leaf(kind: Kind, start: number, end: number): Node {
    this.#at = end
    return { kind, start, end, members: [] }
  }

  #space() {
    while (/[ \t\r\n]/.test(this.text[this.#at] ?? '')) this.#at++
  }
}
