/**
 * Parses a filter into conditions with their positions in the text. The builder edits the text at
 * these positions, so that unsupported parts stay as typed. Grammar: wire.md, the same as in
 * backend/filter. A value may contain a {{variable}}.
 */

import { text as texts } from './text'

export interface FilterValue {
  /** The text for editing: without quotes, \" unescaped, \* and \\ unchanged. */
  text: string
  quoted: boolean
}

export interface Condition {
  start: number
  end: number
  field: string
  op: string
  /** Empty if the operator takes none; several mean any of them. */
  values: FilterValue[]
}

export interface Join {
  start: number
  end: number
  or: boolean
}

export interface Filter {
  conditions: Condition[]
  /** Between the conditions: one less than conditions, or the same number if `rest` follows. */
  joins: Join[]
  /** The position from which the text is not understood, and why. */
  rest?: { start: number; at: number; message: string }
}

/** Operators without a value. */
const tests = [':::empty', '!::empty', ':::null', '!::null']
/** None is a prefix of a later one. */
const comparisons = ['!:', '!~', '>:', '>=', '<:', '<=', ':', '~', '>', '<']

const words: Record<string, string> = {
  ':': texts.filter.is,
  '!:': texts.filter.isNot,
  '~': texts.filter.contains,
  '!~': texts.filter.lacks,
  '>': texts.filter.above,
  '<': texts.filter.below,
  '>:': texts.filter.atLeast,
  '<:': texts.filter.atMost,
  '>=': texts.filter.atLeast,
  '<=': texts.filter.atMost,
  ':::empty': texts.filter.isEmpty,
  '!::empty': texts.filter.isNotEmpty,
  ':::null': texts.filter.isNull,
  '!::null': texts.filter.isNotNull,
}
export const operatorWord = (op: string) => words[op] ?? op
export const takesValue = (op: string) => !tests.includes(op)

class Stop extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message)
  }
}

export function parseFilter(text: string): Filter {
  const filter: Filter = { conditions: [], joins: [] }
  const reader = new Reader(text)
  let start = reader.space()
  if (start === text.length) return filter
  try {
    for (;;) {
      filter.conditions.push(reader.condition())
      if (reader.space() === text.length) return filter
      start = reader.at
      filter.joins.push(reader.join())
      start = reader.space()
    }
  } catch (e) {
    if (!(e instanceof Stop)) throw e
    filter.rest = { start, at: e.at, message: e.message }
    return filter
  }
}

class Reader {
  at = 0

  constructor(private text: string) {}

  space(): number {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) this.at++
    return this.at
  }

  join(): Join {
    const start = this.at
    for (const sign of ['||', ','])
      if (this.text.startsWith(sign, start)) return { start, end: (this.at += sign.length), or: sign === '||' }
    throw new Stop(start, texts.filter.expectedOrA)
  }

  condition(): Condition {
    const start = this.space()
    const field = /[^ \t\r\n:!~<>=,|"\\]*/y
    field.lastIndex = start
    const name = field.exec(this.text)![0]
    if (!name) throw new Stop(start, texts.filter.expectedAField)
    this.at = start + name.length
    this.space()
    const op = this.#operator(name)
    const values: FilterValue[] = []
    if (takesValue(op)) {
      do values.push(this.#value(op))
      while (this.#bar())
    }
    return { start, end: this.#end, field: name, op, values }
  }

  #end = 0

  #operator(field: string): string {
    const rest = this.text.slice(this.at)
    const test = tests.find((t) => rest.startsWith(t) && /^(?:$|[ \t\r\n,|])/.test(rest.slice(t.length)))
    const op = test ?? comparisons.find((c) => rest.startsWith(c))
    if (!op) throw new Stop(this.at, texts.filter.expectedAnOperator(field))
    this.#end = this.at += op.length
    return op
  }

  /** A single | after a value, which is followed by another value. */
  #bar(): boolean {
    const before = this.at
    this.space()
    if (this.text[this.at] === '|' && this.text[this.at + 1] !== '|') return (this.at++, true)
    this.at = before
    return false
  }

  #value(op: string): FilterValue {
    const start = this.space()
    const quoted = this.text[start] === '"'
    if (quoted) this.at++
    let value = ''
    for (; this.at < this.text.length; this.at++) {
      const c = this.text[this.at]
      const variable = /^\{\{[^{}]*\}\}/.exec(this.text.slice(this.at, this.at + 200))?.[0]
      if (variable) {
        value += variable
        this.at += variable.length - 1
      } else if (c === '\\') {
        const next = this.text[++this.at]
        if (next === undefined) throw new Stop(this.at - 1, texts.filter.nothingFollowsThe)
        value += next === '"' ? '"' : c + next
      } else if (quoted && c === '"') {
        this.#end = ++this.at
        return { text: value, quoted }
      } else if (!quoted && /[ \t\r\n,|"]/.test(c)) break
      else value += c
    }
    if (quoted) throw new Stop(start, texts.filter.noQuoteCloses)
    if (this.at === start) throw new Stop(start, texts.filter.expectedAValue(op))
    this.#end = this.at
    return { text: value, quoted }
  }
}

/** Formats a condition. */
export function writeCondition(c: Pick<Condition, 'field' | 'op' | 'values'>): string {
  return c.field + c.op + (takesValue(c.op) ? c.values.map(writeValue).join('|') : '')
}

function writeValue({ text, quoted }: FilterValue): string {
  const bare = !quoted && text !== '' && !/[ \t\r\n,|"]/.test(text.replace(/\{\{[^{}]*\}\}/g, ''))
  if (bare) return text
  let out = ''
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') out += text[i + 1] === undefined ? '\\\\' : text[i] + text[++i]
    else out += text[i] === '"' ? '\\"' : text[i]
  }
  return `"${out}"`
}

/** Returns the text with the n-th condition replaced. */
export function replaceCondition(
  text: string,
  filter: Filter,
  n: number,
  c: Pick<Condition, 'field' | 'op' | 'values'>,
): string {
  const { start, end } = filter.conditions[n]
  return text.slice(0, start) + writeCondition(c) + text.slice(end)
}

/** Returns the text without the n-th condition and the join before it. */
export function removeCondition(text: string, filter: Filter, n: number): string {
  const { start, end } = filter.conditions[n]
  const next = filter.conditions[n + 1]?.start ?? (filter.joins[n] ? filter.joins[n].end : undefined)
  if (n > 0) return text.slice(0, filter.joins[n - 1].start) + text.slice(end)
  return next === undefined
    ? text.slice(0, start) + text.slice(end)
    : text.slice(0, start) + text.slice(next).replace(/^\s+/, '')
}

/** Returns the text with AND and OR exchanged at the n-th join. */
export function switchJoin(text: string, filter: Filter, n: number): string {
  const { start, end, or } = filter.joins[n]
  return text.slice(0, start) + (or ? ',' : '||') + text.slice(end)
}

/** Returns the text with one more condition in the last group. */
export function appendCondition(text: string, c: Pick<Condition, 'field' | 'op' | 'values'>): string {
  const kept = text.trimEnd()
  return kept === '' ? writeCondition(c) : `${kept}${/(?:,|\|\|)$/.test(kept) ? '' : ','}${writeCondition(c)}`
}

export type Place =
  | { part: 'field'; from: number; to: number; typed: string }
  | { part: 'operator'; from: number; to: number; typed: string; field: string }
  | { part: 'value'; from: number; to: number; typed: string; field: string; quoted: boolean }

/** Returns the part at the caret. */
export function placeAt(text: string, caret: number): Place {
  let start = 0
  let quote = -1
  for (let i = 0; i < caret; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') quote = quote < 0 ? i : -1
    else if (quote < 0 && (text[i] === ',' || text[i] === '|')) start = i + 1
  }
  const before = text.slice(0, caret)
  const part = text.slice(start, caret)
  if (quote >= start) {
    const end = text.indexOf('"', caret)
    return {
      part: 'value',
      from: quote,
      to: end < 0 ? caret : end + 1,
      typed: text.slice(quote + 1, caret),
      field: fieldBefore(before, quote),
      quoted: true,
    }
  }
  const field = /^\s*([\w.]*)$/.exec(part)
  // After a single bar, another value of the same condition follows.
  const another = field && text[start - 1] === '|' && text[start - 2] !== '|' ? fieldBefore(before, start) : ''
  const rest = /^[^\s,|"]*/.exec(text.slice(caret))![0]
  if (another)
    return {
      part: 'value',
      from: caret - field![1].length,
      to: caret + rest.length,
      typed: field![1],
      field: another,
      quoted: false,
    }
  if (field)
    return {
      part: 'field',
      from: caret - field[1].length,
      to: caret + /^[\w.]*/.exec(text.slice(caret))![0].length,
      typed: field[1],
    }
  const operator = /^\s*([\w.]+)\s*([:!~<>=]*)$/.exec(part)
  if (operator && !comparisons.includes(operator[2]))
    return { part: 'operator', from: caret - operator[2].length, to: caret, typed: operator[2], field: operator[1] }
  const value = /([^:!~<>=]*)$/.exec(part)![1].trimStart()
  return {
    part: 'value',
    from: caret - value.length,
    to: caret + rest.length,
    typed: value,
    field: fieldBefore(before, caret),
    quoted: false,
  }
}

/** Returns the field of the condition that contains `at`. */
function fieldBefore(text: string, at: number): string {
  const parsed = parseFilter(text.slice(0, at).replace(/\|\s*$/, ''))
  const begun =
    parsed.rest && parsed.rest.start < at ? /^\s*([\w.]+)/.exec(text.slice(parsed.rest.start))?.[1] : undefined
  return begun ?? parsed.conditions.at(-1)?.field ?? ''
}

/** Returns the names that the docs of a field give its numbers: `2 warn, 3 error, 4 critical`. */
export function numberNames(doc = ''): Map<string, string> {
  const named = [...doc.matchAll(/(?:^|[,:;(] ?)(\d+) ([a-z]+)(?=[,.;)]|$)/g)]
  return new Map(named.length > 1 ? named.map(([, number, name]) => [number, name]) : [])
}

/** Returns the only number whose name the text abbreviates, or extends: `crit`, `warning`. */
export function numberNamed(typed: string, names: Map<string, string>): string | undefined {
  const text = typed.toLowerCase()
  const found = text ? [...names].filter(([, name]) => name.startsWith(text) || text.startsWith(name)) : []
  return found.length === 1 ? found[0][0] : undefined
}
