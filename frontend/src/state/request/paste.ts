/** Parses a pasted address or cURL command as a request. */
import { METHODS, type DraftData, type Method, type Row } from '../../client'
import { readShell } from './shell'
import { text as texts } from './text'

export interface Pasted extends Partial<Pick<DraftData, 'method' | 'path' | 'query' | 'headers' | 'body'>> {
  /** Parts that were ignored, and why, one sentence each. */
  notes?: string[]
}

/** The usual prefixes of the API: paths of requests begin after them. */
const mounted = /^\/(?:api|santaba\/rest)(?=\/|$)/

/**
 * Returns the request in a text, or undefined if it is neither a whole URL, nor a path with a query or from the root of
 * a server, nor a cURL command. `bases` are the addresses to remove, `input` is the standard input for `-d @-`.
 */
export function readPasted(text: string, bases: string[], input?: string): Pasted | undefined {
  const trimmed = text.trim()
  const command = trimmed.replace(/^(?:[$>#%]|PS[^>]*>)\s+(?=curl)/i, '')
  if (/^curl(\.exe)?\s/i.test(command)) return readCurl(command, bases, input)
  const withMethod = /^(GET|POST|PUT|PATCH|DELETE)\s+([^\s?]+(?:\?.*)?)$/i.exec(trimmed)
  if (withMethod) return { ...readAddress(withMethod[2], bases), method: withMethod[1].toUpperCase() as Method }
  if (!/^[^\s?]+(?:\?.*)?$/.test(trimmed)) return undefined // spaces are in queries only: ?filter=name~"a b"
  if (/^https?:\/\//i.test(trimmed) || mounted.test(trimmed) || /^\/[^?{]*(?:\{[^?]*\}[^?{]*)*\?/.test(trimmed))
    return readAddress(trimmed, bases)
  return undefined
}

function readAddress(address: string, bases: string[]): Pasted {
  const [beforeHash] = address.split('#', 1)
  const cut = beforeHash.indexOf('?')
  const whole = cut < 0 ? beforeHash : beforeHash.slice(0, cut)
  const query = cut < 0 ? [] : pairs(beforeHash.slice(cut + 1))
  const base = bases.find((b) => whole === b || whole.startsWith(`${b}/`))
  let path = base !== undefined ? whole.slice(base.length) : whole.replace(/^https?:\/\/[^/]*/i, '')
  if (base === undefined) path = path.replace(mounted, '')
  const host = hostOf(whole)
  const elsewhere = base === undefined && host && !bases.some((b) => hostOf(b) === host)
  return { path: decode(path) || '/', query, ...noted(elsewhere ? [texts.paste.server(host)] : []) }
}

const hostOf = (address: string) => /^https?:\/\/([^/{]+)/i.exec(address)?.[1].toLowerCase() ?? ''
const noted = (notes: string[]): Pick<Pasted, 'notes'> => (notes.length ? { notes } : {})

/**
 * Matches a pair of a query. An & within closed double quotes, as in filters, belongs to the value.
 */
const pairOf = /(?:"(?:\\.|[^"\\])*"|[^&])+/g

export function pairs(search: string): Row[] {
  return (search.match(pairOf) ?? []).map((pair) => {
    const at = pair.indexOf('=')
    const key = at < 0 ? pair : pair.slice(0, at)
    return {
      on: true,
      key: decode(key.replaceAll('+', ' ')),
      value: at < 0 ? '' : decode(pair.slice(at + 1).replaceAll('+', ' ')),
    }
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Headers that belong to the browser or to the connection, never to a request. */
const leftOut =
  /^(host|content-length|connection|accept-encoding|user-agent|origin|referer|dnt|priority|pragma|sec-.*|x-csrf-token)$/i
/** Headers with credentials, which the portal's session replaces. */
const identity = /^(authorization|proxy-authorization|cookie)$/i

/** Ignored flags that take a value. */
const withValue =
  /^(-o|--output|-c|--cookie-jar|-A|--user-agent|-e|--referer|-m|--max-time|--connect-timeout|-x|--proxy|-U|--proxy-user|--cacert|-E|--cert|--key|-w|--write-out|-r|--range|-K|--config|-D|--dump-header|--retry|--retry-delay|--retry-max-time|--max-redirs|--resolve|--connect-to|--interface|--limit-rate|-y|-Y|-z|--ciphers|--tls-max|--noproxy|--unix-socket|--trace|--trace-ascii|--stderr|--url-query|--variable)$/

/** Short flags, for combined ones: -sSLXPOST. */
const shortWithValue = 'XHdubocAemxUEwrFTKDyYz'

function readCurl(command: string, bases: string[], input?: string): Pasted | undefined {
  const { words: all, open } = readShell(command)
  const words = all.slice(1).flatMap(splitFlags)
  const headers: Row[] = []
  const data: string[] = []
  const dropped = new Set<string>()
  const more: Row[] = []
  const left = new Set<string>()
  /** Returns a body unless it is in a file. */
  const content = (text: string, file = /^@(.*)$/s.exec(text)?.[1]) => {
    if (file === '-' && input !== undefined) data.push(input)
    else if (file === undefined) data.push(text)
    else left.add(file === '-' ? texts.paste.input : texts.paste.file(file))
  }
  let usual = 'GET'
  let method: string | undefined
  let address: string | undefined
  let asQuery = false
  let json = false
  for (let i = 0; i < words.length; i++) {
    const { flag, inline } = words[i]
    const value = () => inline ?? words[++i]?.word ?? ''
    switch (flag) {
      case '-X':
      case '--request':
        method = value().toUpperCase()
        break
      case '-H':
      case '--header':
        readHeader(value(), headers, dropped)
        break
      case '-d':
      case '--data':
      case '--data-ascii':
      case '--data-binary':
        content(value())
        usual = 'POST'
        break
      case '--data-raw':
        data.push(value())
        usual = 'POST'
        break
      case '--json':
        content(value())
        usual = 'POST'
        json = true
        break
      case '--data-urlencode':
        urlEncoded(value(), content)
        usual = 'POST'
        break
      case '-F':
      case '--form':
      case '--form-string':
        value()
        left.add(texts.paste.noForm(flag))
        usual = 'POST'
        break
      case '-T':
      case '--upload-file':
        value()
        left.add(texts.paste.noForm(flag))
        usual = 'PUT'
        break
      case '--url-query':
        more.push(...pairs(value()))
        break
      case '-G':
      case '--get':
        asQuery = true
        break
      case '-I':
      case '--head':
        method ??= 'HEAD'
        break
      case '--url':
        address = value()
        break
      case '-u':
      case '--user':
      case '--oauth2-bearer':
        value()
        dropped.add('Authorization')
        break
      case '-b':
      case '--cookie':
        value()
        dropped.add('Cookie')
        break
      default:
        if (flag && withValue.test(flag)) value()
        else if (!flag) address ??= words[i].word
    }
  }
  if (!address) return undefined
  const pasted = readAddress(
    /^https?:\/\//i.test(address) || address.startsWith('/') ? address : `http://${address}`,
    bases,
  )
  const query = [...(pasted.query ?? []), ...more]
  const wanted = method ?? (asQuery ? 'GET' : usual)
  const taken = METHODS.find((m) => m === wanted) ?? 'GET'
  const notes = noted([
    ...(pasted.notes ?? []),
    ...(dropped.size ? [texts.paste.session([...dropped])] : []),
    ...left,
    ...(taken === wanted ? [] : [texts.paste.method(wanted, taken, METHODS)]),
    ...(open ? [texts.paste.open] : []),
  ])
  if (asQuery)
    return { ...pasted, method: taken, headers, query: [...query, ...data.flatMap(pairs)], body: '', ...notes }
  return { ...pasted, query, method: taken, headers, body: json ? data.join('') : data.join('&'), ...notes }
}

/** `Name: value`, `Name;` for an empty one; `Name:` removes it. */
function readHeader(text: string, headers: Row[], dropped: Set<string>) {
  const [, key, sign, value] = /^([^:;]+)([:;])\s?(.*)$/s.exec(text) ?? []
  const name = key?.trim()
  if (!name || leftOut.test(name) || (sign === ':' && value.trim() === '')) return
  if (identity.test(name)) dropped.add(name.replace(/^[a-z]/, (c) => c.toUpperCase()))
  else headers.push({ on: true, key: name, value: value.trim() })
}

/**
 * Parses the value of --data-urlencode: `name=content`, `=content`, `content`, `name@file`,
 * `@file`.
 */
function urlEncoded(text: string, content: (text: string, file?: string) => void) {
  const at = text.search(/[=@]/)
  if (text[at] === '@') return content('', text.slice(at + 1))
  content(
    at < 0
      ? encodeURIComponent(text)
      : `${at > 0 ? `${text.slice(0, at)}=` : ''}${encodeURIComponent(text.slice(at + 1))}`,
  )
}

interface Word {
  word: string
  flag?: string
  /** `-XPOST` and `--request=POST` are a flag and its value. */
  inline?: string
}

function splitFlags(word: string): Word[] {
  if (word.startsWith('--')) {
    const [, flag, inline] = /^(--[a-z0-9-]+)(?:=(.*))?$/s.exec(word) ?? [word, word]
    return [{ word, flag, inline }]
  }
  if (!/^-[a-zA-Z]/.test(word)) return [{ word }]
  const out: Word[] = []
  for (let i = 1; i < word.length; i++) {
    const flag = `-${word[i]}`
    const takes = shortWithValue.includes(word[i])
    out.push({ word, flag, inline: takes && i + 1 < word.length ? word.slice(i + 1) : undefined })
    if (takes) break
  }
  return out
}
