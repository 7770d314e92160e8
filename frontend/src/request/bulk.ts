/**
 * Rows as lines of text: `key: value`, with `# ` before a disabled row. Line breaks, backslashes
 * and ambiguous characters are escaped with a backslash, so that every list of rows survives a
 * round trip.
 */
import type { Row } from '../client'
import { pairs } from '../state/request/paste'

type Line = Pick<Row, 'on' | 'key' | 'value' | 'doc'>

export function toText(rows: readonly Line[]): string {
  return rows.map((r) => `${r.on ? '' : '# '}${key(r.key)}: ${escape(r.value)}`).join('\n')
}

/** Ignores blank lines. A description stays with the row of its key. */
export function fromText(text: string, before: readonly Line[] = []): Row[] {
  const docs = [...before]
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const off = /^\s*#\s?/.exec(line)
      const rest = off ? line.slice(off[0].length) : line
      const at = colon(rest)
      const row = {
        on: !off,
        key: unescape(at < 0 ? rest.trim() : rest.slice(0, at)),
        value: at < 0 ? '' : unescape(rest.slice(at + 1).replace(/^ /, '')),
      }
      const same = docs.findIndex((r) => r.key === row.key)
      const doc = same < 0 ? undefined : docs.splice(same, 1)[0].doc
      return doc ? { ...row, doc } : row
    })
}

/**
 * Parses text pasted into a name as rows: lines of `key: value`, or of a key, a tab and a value, as
 * copied from other programs; or a query, `?a=1&b=2`. Returns undefined for any other text.
 */
export function pastedRows(text: string): Row[] | undefined {
  const trimmed = text.trim()
  if (/^\??[^\s=&?:]+=[^\s]*$/.test(trimmed)) return pairs(trimmed.replace(/^\?/, ''))
  const lines = trimmed.split(/\r?\n/).filter((line) => line.trim() !== '')
  const rows = lines
    .map((line) => /^(\s*#\s?)?([^\t:]+?)\s*(?::\s|:$|\t)(.*)$/.exec(line))
    .map((found) => found && { on: !found[1], key: found[2].trim(), value: found[3].trim() })
  return rows.every((row) => row !== null) && rows.length ? rows : undefined
}

const escape = (text: string) => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r')
const unescape = (text: string) => text.replace(/\\(.)/gs, (_, c: string) => ({ n: '\n', r: '\r' })[c] ?? c)

function key(text: string): string {
  return escape(text)
    .replace(/:/g, '\\:')
    .replace(/^(\s*)#/, '$1\\#')
    .replace(/^\s/, (c) => `\\${c}`)
}

/** Returns the end of the key: the first colon without a backslash. */
function colon(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ':') return i
  }
  return -1
}
