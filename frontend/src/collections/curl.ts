/** Converts files of cURL commands to the Spyglass format. */
import type { DraftData } from '../client'
import type { FileToRead } from '../client/collections'
import { emptyDraft } from '../state/request/draft.svelte'
import { readPasted } from '../state/request/paste'
import { shellOf, shellWords } from '../state/request/shell'

interface Saved {
  name: string
  doc: string
  draft: DraftData
}
interface Chapter {
  name: string
  folders: Chapter[]
  requests: Saved[]
}

/** The contents of a script of commands. */
export interface Commands {
  /** Requests without a heading. */
  requests: Saved[]
  folders: Chapter[]
  variables: { name: string; value: string }[]
  /** Parts of the commands that were not imported, one sentence each. */
  notes: string[]
}

const begins = /^curl(\.exe)?\s/i
const piped = /^printf %s [\s\S]*\|\s*\ncurl\s/
const assignment = /^(?:export\s+)?([A-Za-z_]\w*)=([\s\S]*)$/
const heading = /^(##+)\s+(.*[\p{L}\p{N}].*)$/u

/** Returns the commands of a text with their headings and variables; undefined if there are none. */
export function readCommands(text: string, bases: string[]): Commands | undefined {
  const pieces = piecesOf(text)
  const first = pieces.find((p) => p.trim() && !p.startsWith('#'))
  if (
    !first ||
    !(
      begins.test(first) ||
      piped.test(first) ||
      assignment.test(first) ||
      /^(?:set|export|source|cd|echo|:)\s/.test(first)
    )
  )
    return undefined
  const reader = new Reader(bases)
  pieces.forEach((piece) => reader.read(piece))
  return reader.count
    ? {
        requests: reader.top.requests,
        folders: reader.top.folders.filter(holds),
        variables: reader.variables,
        notes: [...reader.notes],
      }
    : undefined
}

const holds = (c: Chapter): boolean => {
  c.folders = c.folders.filter(holds)
  return c.requests.length + c.folders.length > 0
}

/** Reads the pieces of a script in order. */
class Reader {
  readonly top: Chapter = { name: '', folders: [], requests: [] }
  readonly variables: { name: string; value: string }[] = []
  /** Parts of the commands that were not imported. */
  readonly notes = new Set<string>()
  count = 0
  #open: Chapter[] = [this.top]
  /** The {{variable}} for each variable of the shell. */
  readonly #shell = new Map<string, string>()
  #comments: string[] = []

  constructor(private readonly bases: string[]) {}

  read(piece: string) {
    const title = heading.exec(piece)
    if (begins.test(piece) || piped.test(piece)) this.#command(piece)
    else if (title) this.#chapter(title[1].length - 1, title[2].trim())
    else if (piece.startsWith('#')) return void this.#comments.push(piece.slice(1))
    else this.#assign(piece)
    this.#comments = []
  }

  #chapter(level: number, name: string) {
    const chapter: Chapter = { name, folders: [], requests: [] }
    this.#open = this.#open.slice(0, Math.min(level, 20))
    this.#open.at(-1)?.folders.push(chapter)
    this.#open.push(chapter)
  }

  #command(piece: string) {
    const at = piped.test(piece) ? piece.search(/\ncurl\s/) + 1 : 0
    const expanded = shellOf(piece) === 'posix' ? (part: string) => expand(part, this.#shell) : (part: string) => part
    const input = at ? shellWords(expanded(piece.slice(0, at)))[2] : undefined
    const { notes = [], ...pasted } = readPasted(expanded(piece.slice(at)), this.bases, input) ?? {}
    if (!pasted.path) return
    for (const note of notes) this.notes.add(note)
    const draft = { ...emptyDraft(), ...pasted }
    const [name = '', ...doc] = this.#comments.map((line) => line.trim())
    this.#open
      .at(-1)
      ?.requests.push({ name: name === `${draft.method} ${draft.path}` ? '' : name, doc: doc.join('\n'), draft })
    this.count++
  }

  /** `x='5' # {{y}}`: the comment has the name of the variable. */
  #assign(piece: string) {
    const [, shellName, rest] = assignment.exec(piece) ?? []
    if (!shellName) return
    const ours = /#\s*(\{+[^{}]+\}+)[^'"]*$/.exec(rest)?.[1]
    const value = shellWords(expand(rest, this.#shell), 'posix')[0] ?? ''
    if (/^https?:\/\//.test(value)) return void this.#shell.set(shellName, value)
    if (ours?.startsWith('{{$hidden')) return void this.#shell.set(shellName, '********')
    this.#shell.set(shellName, ours ?? `{{${shellName}}}`)
    const name = /^\{\{([A-Za-z_].*)\}\}$/.exec(ours ?? `{{${shellName}}}`)?.[1]
    if (name && !/^(?:\$[({]|"\$[({])/.test(rest) && !this.variables.some((v) => v.name === name))
      this.variables.push({ name, value })
  }
}

/** Replaces the shell's variables by {{references}} where the shell would expand them. */
function expand(text: string, names: ReadonlyMap<string, string>): string {
  const variable = /^\$\(in_(?:url|json) "\$(\w+)"\)|^\$\{([A-Za-z_]\w*)\}|^\$([A-Za-z_]\w*)/
  let out = ''
  let quote = ''
  for (let i = 0; i < text.length;) {
    const c = text[i]
    const found = quote === "'" || c !== '$' ? null : variable.exec(text.slice(i, i + 200))
    if (found) {
      const name = found[1] ?? found[2] ?? found[3]
      out += names.get(name) ?? `{{${name}}}`
      i += found[0].length
      continue
    }
    const length = c === '\\' && quote !== "'" ? 2 : 1
    if (length === 1 && (c === "'" || c === '"') && (!quote || quote === c)) quote = quote ? '' : c
    out += text.slice(i, i + length)
    i += length
  }
  return out
}

/** Splits a script into complete commands and assignments, comments and blank lines. It skips functions. */
function piecesOf(script: string): string[] {
  const pieces: string[] = []
  let quote = ''
  let goesOn = false
  let inFunction = false
  for (const line of script.replace(/^\uFEFF?(#![^\n]*\n)?/, '').split('\n')) {
    if (!quote && !goesOn && /^\w+\s*\(\)\s*\{\s*$/.test(line)) inFunction = true
    if (inFunction) {
      inFunction = line.trimEnd() !== '}'
      continue
    }
    if (quote || goesOn) pieces[pieces.length - 1] += `\n${line}`
    else pieces.push(line.trim() && begins.test(line.trimStart()) ? line.trimStart() : line)
    if (!quote && /^\s*#/.test(line) && !goesOn) continue
    quote = quoteAfter(line, quote)
    goesOn = !quote && /[\\^`|]\s*$/.test(line)
  }
  return pieces
}

/** Returns the quote that is still open after a line; `quote` is the one open before it. */
function quoteAfter(line: string, quote: string): string {
  for (let i = 0; i < line.length; i++) {
    const c = line[i]
    if (c === '\\' && quote !== "'") i++
    else if (!quote && c === '#' && /\s/.test(line[i - 1] ?? ' ')) break
    else if (quote ? c === quote : c === "'" || c === '"') quote = quote ? '' : c
  }
  return quote
}

/** Returns the file to import: cURL commands in the Spyglass format, other files unchanged. */
export function fileToRead(
  name: string,
  text: string,
  bases: string[],
): { file: FileToRead; curl: boolean; notes: string[] } {
  const found = readCommands(text, bases)
  if (!found) return { file: { name, text }, curl: false, notes: [] }
  const title = name.replace(/\.[^.]*$/, '') || 'cURL commands'
  const alone = found.requests.length === 0 && found.folders.length === 1
  const collections = alone ? found.folders : [{ name: title, requests: found.requests, folders: found.folders }]
  return {
    file: { name, text: JSON.stringify({ spyglass: 1, name: title, collections, variables: found.variables }) },
    curl: true,
    notes: found.notes,
  }
}
