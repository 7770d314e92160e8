import type { Reply } from '../client'
import { oneDecimal, whole } from './locale'
import { text as texts } from './text'

/** Formats a reply for the status bar: `200 OK · 12 ms · 18432 B · 50 items`. */
export function statusText(
  reply: Pick<Reply, 'status' | 'statusText' | 'ms' | 'bytes' | 'items'> & Partial<Pick<Reply, 'run' | 'notKept'>>,
): string {
  const words = [`${reply.status} ${reply.statusText}`.trim(), `${Math.round(reply.ms)} ms`, `${reply.bytes} B`]
  if (reply.items !== null && reply.items !== undefined) words.push(texts.status.items(reply.items))
  if (reply.run?.partial) words.push(texts.status.partial)
  if (reply.notKept) words.push(texts.status.notKept)
  return words.join(' · ')
}

/** The status class of a response. 0 means no response. */
export type Tone = 'ok' | 'warn' | 'err'

export function tone(status: number): Tone {
  if (status === 429 || status === 503) return 'warn'
  if (status >= 200 && status < 400) return 'ok'
  return 'err'
}

/** Formats bytes: `18.4 KB`. Decimal units. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['KB', 'MB', 'GB']
  let value = bytes
  let unit = ''
  for (const u of units) {
    value /= 1000
    unit = u
    if (value < 1000) break
  }
  return `${value < 100 ? oneDecimal(value) : whole(value)} ${unit}`
}

/** Formats milliseconds: `0.3 ms`, `12 ms`, `1.8 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms > 0 && ms < 0.95) return `${oneDecimal(ms)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${oneDecimal(ms / 1000)} s`
  const seconds = Math.round(ms / 1000)
  return texts.status.minutes(Math.floor(seconds / 60), seconds % 60)
}

/** Returns the media type of a response without parameters: `image/png`; '' if it has none. */
export function contentType(reply: Pick<Reply, 'headers'>): string {
  const value = reply.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return value.split(';')[0].trim().toLowerCase()
}

/** Returns a note about the body, such as its encoding, or ''. */
export function aboutText(reply: Pick<Reply, 'headers' | 'json' | 'binary' | 'reading' | 'notKept'>): string {
  const words = reply.notKept ? [reply.notKept] : []
  if (reply.binary) return words.join(' ')
  const kind = contentType(reply)
  if (/^(text\/html|application\/xhtml\+xml)$/.test(kind) && !reply.json) words.push(texts.status.htmlShownAs)
  else if (/^(text|application)\/(.+\+)?xml$/.test(kind) && !reply.json) words.push(texts.status.xmlShownAs)
  if (reply.reading) words.push(`${reply.reading}.`)
  return words.join(' ')
}

/** Returns the file name to save a response: `device-devices.json`. */
export function fileName(reply: Pick<Reply, 'headers' | 'json' | 'binary'> | undefined, path: string): string {
  const stem =
    path
      .split('?')[0]
      .split('/')
      .filter(Boolean)
      .join('-')
      .replace(/[^\w.-]+/g, '') || 'response'
  if (!reply?.binary)
    return `${stem}.${reply?.json ? 'json' : (/^text\/(html|xml|csv)$/.exec(reply ? contentType(reply) : '')?.[1] ?? 'txt')}`
  const end = /^\w+\/(?:x-)?([a-z\d]{2,5})$/.exec(contentType(reply))?.[1] ?? 'bin'
  return stem.endsWith(`.${end}`) ? stem : `${stem}.${end}`
}
