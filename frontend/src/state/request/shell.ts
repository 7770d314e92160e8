/** Splits a command into words like a POSIX shell, cmd.exe or PowerShell. */

export type Shell = 'posix' | 'cmd' | 'powershell'

/** Detects the shell of a command from its line continuations and quotes. */
export function shellOf(command: string): Shell {
  if (/\^\s*\r?\n/.test(command) || /\^["%&|<>^]/.test(command)) return 'cmd'
  if (/`\s*\r?\n/.test(command) || /^curl\.exe\s/i.test(command.trim())) return 'powershell'
  return 'posix'
}

/** Returns the words with quotes, escapes and line continuations resolved. */
export function shellWords(command: string, shell?: Shell): string[] {
  return readShell(command, shell).words
}

/** The same; also returns whether a quote is still open at the end. */
export function readShell(command: string, shell: Shell = shellOf(command)): { words: string[]; open: boolean } {
  const text = shell === 'cmd' ? withoutCarets(command) : command
  const words: string[] = []
  let word: string | undefined
  let open = false
  const add = (piece: string) => (word = (word ?? '') + piece)
  for (let i = 0; i < text.length;) {
    const c = text[i]
    const piece = quotedAt(text, i, shell) ?? escapeAt(text, i, shell)
    if (piece) {
      if (piece.text !== undefined) add(piece.text)
      i = piece.end
      open = i > text.length // after a missing closing quote
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
      i++
    } else {
      add(c)
      i++
    }
  }
  if (word !== undefined) words.push(word)
  return { words, open }
}

/** A piece of a word and its end; text is undefined for a line continuation. */
interface Piece {
  text?: string
  end: number
}

function escapeAt(text: string, at: number, shell: Shell): Piece | undefined {
  const sign = shell === 'powershell' ? '`' : shell === 'posix' ? '\\' : ''
  if (text[at] !== sign) return shell === 'cmd' && text.startsWith('\\"', at) ? { text: '"', end: at + 2 } : undefined
  const line = /^[ \t]*\r?\n/.exec(text.slice(at + 1, at + 80))
  if (line) return { end: at + 1 + line[0].length }
  return text[at + 1] === undefined
    ? { end: at + 1 }
    : { text: shell === 'powershell' ? backtick(text[at + 1]) : text[at + 1], end: at + 2 }
}

function quotedAt(text: string, at: number, shell: Shell): Piece | undefined {
  if (shell === 'posix' && text.startsWith("$'", at)) return ansi(text, at + 2)
  if (text[at] === "'" && shell !== 'cmd') return single(text, at + 1, shell)
  return text[at] === '"' ? double(text, at + 1, shell) : undefined
}

/** PowerShell doubles a quote inside quotes. */
function single(text: string, at: number, shell: Shell): Piece {
  let out = ''
  for (; at < text.length; at++) {
    if (text[at] !== "'") out += text[at]
    else if (shell === 'powershell' && text[at + 1] === "'") out += text[++at]
    else break
  }
  return { text: shell === 'powershell' ? out.replaceAll('\\"', '"') : out, end: at + 1 }
}

function double(text: string, at: number, shell: Shell): Piece {
  let out = ''
  for (; at < text.length && text[at] !== '"'; at++) {
    const [c, next] = [text[at], text[at + 1]]
    if (shell === 'posix' && c === '\\' && next !== undefined && '"\\$`\n'.includes(next))
      out += text[++at] === '\n' ? '' : text[at]
    else if (shell === 'cmd' && c === '\\' && (next === '"' || next === '\\')) out += text[++at]
    else if (shell === 'powershell' && c === '`' && next !== undefined) out += backtick(text[++at])
    else if (shell === 'powershell' && c === '\\' && next === '"') out += text[++at]
    else out += c
  }
  return { text: out, end: at + 1 }
}

const letters: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  E: '\x1b',
  0: '\0',
}
const backtick = (c: string) => ('ntr0bfva'.includes(c) ? letters[c] : c)

/** $'…' of bash: the escapes of C. */
function ansi(text: string, at: number): Piece {
  let out = ''
  for (; at < text.length && text[at] !== "'"; at++) {
    if (text[at] !== '\\') {
      out += text[at]
      continue
    }
    const code = /^\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(
      text.slice(at, at + 10),
    )
    if (!code) {
      const c = text[++at] ?? ''
      out += letters[c] ?? c
      continue
    }
    const value = code[4] !== undefined ? parseInt(code[4], 8) : parseInt(code[1] ?? code[2] ?? code[3], 16)
    out += value <= 0x10ffff ? String.fromCodePoint(value) : ''
    at += code[0].length - 1
  }
  return { text: out, end: at + 1 }
}

/** cmd.exe removes its carets before the program gets the line; browsers write ^\^" for \". */
function withoutCarets(text: string): string {
  return text.replace(/\^[ \t]*\r?\n[ \t]*/g, ' ').replace(/\^(\r?\n|[\s\S])/g, '$1')
}
