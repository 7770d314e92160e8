/**
 * Ranking for everything that is searched while typing: commands, endpoints,
 * tabs, history. Words of the query match in any order and all must match;
 * letter case is ignored. The first field may match letter by letter ("dvdv"
 * finds /device/devices), the others only as whole pieces of text.
 */

/** One matching item. `marks[f]` holds the positions of the matched letters in field f, ascending. */
export interface Ranked<T> {
  item: T
  score: number
  marks: number[][]
}

/** A piece of text, inside or outside of a match. */
export interface Piece {
  text: string
  hit: boolean
}

/** Fields to search, prepared once for many queries. */
export interface Text {
  fields: readonly string[]
  lower: readonly string[]
  /** Short fields without articles and similar words; '' for the others. */
  bare: readonly string[]
}

export function prepare(fields: readonly string[]): Text {
  const lower = fields.map((f) => f.toLowerCase())
  return { fields, lower, bare: lower.map((f) => (f.length > 80 ? '' : bared(f.split(/\s+/)))) }
}

const small = new Set(['a', 'an', 'the', 'of', 'to', 'for', 'in'])
const bared = (words: string[]) => words.filter((w) => !small.has(w)).join(' ')

/** Minimum score of a word at the beginning of a word in the first field. */
export const begins = 140

const boundary = /[\s/{}._\-:?&=,()…]/
const longestFuzzy = 120
const wholeText = 1000 // for several words that make up a whole field, apart from short words
const widestGap = 2

/**
 * Returns the items that match, best first; equal ones keep their order. An empty query matches everything with score
 * 0. `textOf` returns the fields to search, most important first.
 */
export function rank<T>(
  query: string,
  items: readonly T[],
  textOf: (item: T) => string | readonly string[] | Text,
): Ranked<T>[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const phrase = words.length > 1 ? bared(words) : ''
  const found: Ranked<T>[] = []
  for (const item of items) {
    const text = textOf(item)
    const ready = typeof text === 'string' ? prepare([text]) : 'lower' in text ? text : prepare(text)
    const match = matchAll(words, ready)
    if (match)
      found.push({ item, ...match, score: match.score + (phrase && ready.bare.includes(phrase) ? wholeText : 0) })
  }
  return words.length ? found.sort((a, b) => b.score - a.score) : found
}

/** Splits the text at the edges of the matches. */
export function pieces(text: string, marks: readonly number[] | undefined): Piece[] {
  if (!marks?.length) return [{ text, hit: false }]
  const out: Piece[] = []
  let at = 0
  for (let i = 0; i < marks.length;) {
    const start = marks[i]
    let end = start + 1
    while (marks[++i] === end) end++
    if (start > at) out.push({ text: text.slice(at, start), hit: false })
    out.push({ text: text.slice(start, end), hit: true })
    at = end
  }
  if (at < text.length) out.push({ text: text.slice(at), hit: false })
  return out
}

function matchAll(words: string[], { fields, lower }: Text): { score: number; marks: number[][] } | undefined {
  const found: { field: number; at: number[] }[] = []
  let score = 0
  for (const word of words) {
    let best: { field: number; score: number; at: number[] } | undefined
    for (let f = 0; f < fields.length; f++) {
      const hit =
        matchPiece(word, fields[f], lower[f]) ?? (f === 0 ? matchLetters(word, fields[f], lower[f]) : undefined)
      if (!hit) continue
      const weighed = hit.score / (f + 1)
      if (!best || weighed > best.score) best = { field: f, score: weighed, at: hit.at }
    }
    if (!best) return undefined
    score += best.score
    found.push(best)
  }
  const shorter = fields.length ? 10 / (10 + fields[0].length) : 0
  const marks = fields.map((_, f) => [...new Set(found.flatMap((hit) => (hit.field === f ? hit.at : [])))])
  for (const of of marks) of.sort((a, b) => a - b)
  return { score: score + shorter, marks }
}

/** Matches the exact word, preferably at the beginning of a word of the text. */
function matchPiece(word: string, text: string, lower: string): { score: number; at: number[] } | undefined {
  let best = -1
  let bestScore = 0
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    let score = 100 + word.length
    if (startsWord(text, at)) score += 40
    if (endsWord(text, at + word.length)) score += 20
    if (text.startsWith('/') && at + word.length === text.length) score += 10 // the end of a path identifies it
    if (score > bestScore) [best, bestScore] = [at, score]
    if (score === 170 + word.length) break
  }
  if (best < 0) return undefined
  return { score: bestScore, at: Array.from(word, (_, i) => best + i).slice(0, word.length) }
}

/**
 * Matches the word's letters in order: each begins a word of the text, or follows the letter before it at once or
 * within a short gap. Finds the best placing letter by letter; `from[i][p]` is the position of letter i-1 when i is at
 * p.
 */
function matchLetters(word: string, text: string, lower: string): { score: number; at: number[] } | undefined {
  if (word.length < 2 || text.length > longestFuzzy || !inOrder(word, lower)) return undefined
  let last = new Map<number, number>() // position of the letter before → score so far
  const from: Map<number, number>[] = []
  for (let i = 0; i < word.length; i++) {
    const next = new Map<number, number>()
    const back = new Map<number, number>()
    for (let p = lower.indexOf(word[i]); p >= 0; p = lower.indexOf(word[i], p + 1)) {
      const starts = startsWord(text, p)
      if (i === 0) {
        if (starts) next.set(p, 8)
        continue
      }
      for (const [before, score] of last) {
        const gap = p - before - 1
        if (gap < 0 || (!starts && gap > widestGap)) continue
        const total = score + (gap === 0 ? 6 : starts ? 8 : 1) - gap / 8
        if (total <= (next.get(p) ?? 0)) continue
        next.set(p, total)
        back.set(p, before)
      }
    }
    if (!next.size) return undefined
    from.push(back)
    last = next
  }
  const best = [...last].reduce((best, one) => (one[1] > best[1] ? one : best))
  const score = best[1]
  let end = best[0]
  const at = [end]
  for (let i = word.length - 1; i > 0; i--) at.unshift((end = from[i].get(end)!))
  return { score: (score / word.length) * 8, at }
}

/** Reports whether all letters occur in that order: a cheap test that most items fail. */
function inOrder(word: string, lower: string): boolean {
  let at = -1
  for (const letter of word) if ((at = lower.indexOf(letter, at + 1)) < 0) return false
  return true
}

function startsWord(text: string, at: number): boolean {
  if (at === 0 || boundary.test(text[at - 1])) return true
  return /[a-z]/.test(text[at - 1]) && /[A-Z]/.test(text[at])
}

function endsWord(text: string, at: number): boolean {
  return at >= text.length || boundary.test(text[at])
}
