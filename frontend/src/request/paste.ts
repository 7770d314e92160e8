/** A pasted address or cURL command as a request. */
import { METHODS, type DraftData, type Method, type Row } from '../client'

export type Pasted = Partial<Pick<DraftData, 'method' | 'path' | 'query' | 'headers' | 'body'>>

/**
 * What the text asks for, or undefined when it is neither a whole URL, nor a
 * path with a query, nor a cURL command. `bases` are the addresses to take off.
 */
export function readPasted(text: string, bases: string[]): Pasted | undefined {
  const trimmed = text.trim()
  if (/^curl(\.exe)?\s/i.test(trimmed)) return readCurl(trimmed, bases)
  const withMethod = /^(GET|POST|PUT|PATCH|DELETE)\s+(\S+)$/i.exec(trimmed)
  if (withMethod) return { ...readAddress(withMethod[2], bases), method: withMethod[1].toUpperCase() as Method }
  if (/\s/.test(trimmed)) return undefined
  if (/^https?:\/\//i.test(trimmed) || /^\/[^?{]*(?:\{[^?]*\}[^?{]*)*\?/.test(trimmed)) return readAddress(trimmed, bases)
  return undefined
}

function readAddress(address: string, bases: string[]): Pasted {
  const [beforeHash] = address.split('#', 1)
  const cut = beforeHash.indexOf('?')
  const whole = cut < 0 ? beforeHash : beforeHash.slice(0, cut)
  const query = cut < 0 ? [] : pairs(beforeHash.slice(cut + 1))
  const base = bases.find((b) => whole === b || whole.startsWith(`${b}/`))
  let path = base !== undefined ? whole.slice(base.length) : whole.replace(/^https?:\/\/[^/]*/i, '')
  if (base === undefined) path = path.replace(/^\/(?:api|santaba\/rest)(?=\/|$)/, '')
  return { path: decode(path) || '/', query }
}

function pairs(search: string): Row[] {
  return search.split('&').filter(Boolean).map((pair) => {
    const at = pair.indexOf('=')
    const key = at < 0 ? pair : pair.slice(0, at)
    return { on: true, key: decode(key.replaceAll('+', ' ')), value: at < 0 ? '' : decode(pair.slice(at + 1).replaceAll('+', ' ')) }
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Headers that belong to the browser or to the session, never to a request. */
const leftOut = /^(host|cookie|content-length|connection|accept-encoding|user-agent|origin|referer|sec-.*|x-csrf-token)$/i

function readCurl(command: string, bases: string[]): Pasted | undefined {
  const words = shellWords(command).slice(1)
  const headers: Row[] = []
  const data: string[] = []
  let method: string | undefined
  let address: string | undefined
  let asQuery = false
  for (let i = 0; i < words.length; i++) {
    const [flag, inline] = splitFlag(words[i])
    const value = () => inline ?? words[++i] ?? ''
    if (flag === '-X' || flag === '--request') method = value().toUpperCase()
    else if (flag === '-H' || flag === '--header') {
      const [, key, text] = /^([^:]+):\s?(.*)$/s.exec(value()) ?? []
      if (key && !leftOut.test(key.trim())) headers.push({ on: true, key: key.trim(), value: text.trim() })
    } else if (/^(-d|--data|--data-raw|--data-binary|--data-ascii|--json|--data-urlencode)$/.test(flag)) data.push(value())
    else if (flag === '-G' || flag === '--get') asQuery = true
    else if (flag === '-I' || flag === '--head') method ??= 'GET'
    else if (flag === '--url') address = value()
    else if (/^(-u|--user|-o|--output|-b|--cookie|-c|-A|--user-agent|-e|-m|--max-time|--connect-timeout|-x|--proxy|--cacert|-w)$/.test(flag)) value()
    else if (!flag.startsWith('-')) address ??= words[i]
  }
  if (!address) return undefined
  const pasted = readAddress(/^https?:\/\//i.test(address) || address.startsWith('/') ? address : `http://${address}`, bases)
  const body = data.join('&')
  if (asQuery) return { ...pasted, method: 'GET', headers, query: [...(pasted.query ?? []), ...pairs(body)] }
  const asked = method ?? (data.length ? 'POST' : 'GET')
  return { ...pasted, method: METHODS.find((m) => m === asked) ?? 'GET', headers, body }
}

/** `-XPOST` and `--request=POST` are a flag and its value. */
function splitFlag(word: string): [string, string | undefined] {
  const long = /^(--[a-z-]+)=(.*)$/s.exec(word)
  if (long) return [long[1], long[2]]
  const short = /^(-[XHdub])(.+)$/s.exec(word)
  return short ? [short[1], short[2]] : [word, undefined]
}

/** The words of a POSIX shell command: quotes, escapes and line continuations undone. */
export function shellWords(command: string): string[] {
  const words: string[] = []
  let word: string | undefined
  const add = (text: string) => (word = (word ?? '') + text)
  for (let i = 0; i < command.length; i++) {
    const c = command[i]
    if (c === '\\') {
      const next = command[++i]
      if (next === '\r' && command[i + 1] === '\n') i++
      else if (next !== '\n' && next !== undefined) add(next)
    } else if (c === "'" || (c === '$' && command[i + 1] === "'")) {
      const ansi = c === '$'
      if (ansi) i++
      let text = ''
      while (++i < command.length && command[i] !== "'") text += ansi && command[i] === '\\' ? unescape(command[++i]) : command[i]
      add(text)
    } else if (c === '"') {
      let text = ''
      while (++i < command.length && command[i] !== '"') {
        if (command[i] !== '\\') text += command[i]
        else if ('"\\$`'.includes(command[i + 1])) text += command[++i]
        else if (command[i + 1] === '\n') i++
        else text += '\\'
      }
      add(text)
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else add(c)
  }
  if (word !== undefined) words.push(word)
  return words
}

function unescape(c: string): string {
  return { n: '\n', t: '\t', r: '\r' }[c] ?? c
}
