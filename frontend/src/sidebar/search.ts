import { METHODS, type Method } from '../client'
import type { PastQuery } from '../client/past'

/** The filters of the panel, in addition to the search. */
export interface PastFilter {
  method: Method | ''
  /** '2' for 200 to 299, '0' for no response, '' for any. */
  status: string
  endpoint: string
  pinned: boolean
  when: '' | 'today' | 'yesterday' | 'week' | 'range'
  /** Days in the format of a date field, `2026-11-21`; both included. */
  since: string
  until: string
}

export function noFilter(): PastFilter {
  return { method: '', status: '', endpoint: '', pinned: false, when: '', since: '', until: '' }
}

/** Returns the number of conditions in a filter. */
export function conditions(f: PastFilter): number {
  return [f.method, f.status, f.endpoint, f.pinned, f.when].filter(Boolean).length
}

/**
 * Returns the query for Go. In the search, a method and a status class such as 4xx are filters, unless the controls set
 * others.
 */
export function pastQuery(typed: string, f: PastFilter, now: number): PastQuery {
  const q: PastQuery = {}
  const words: string[] = []
  if (f.method) q.method = f.method
  if (f.status) q.status = Number(f.status)
  for (const word of typed.trim().split(/\s+/).filter(Boolean)) {
    if (!q.method && (METHODS as readonly string[]).includes(word)) q.method = word as Method
    else if (q.status === undefined && /^[1-5]xx$/i.test(word)) q.status = Number(word[0])
    else words.push(word)
  }
  if (words.length) q.words = words.join(' ')
  if (f.endpoint) q.endpoint = f.endpoint
  if (f.pinned) q.pinned = true
  const midnight = (days: number, at = now) =>
    new Date(new Date(at).getFullYear(), new Date(at).getMonth(), new Date(at).getDate() + days).getTime()
  if (f.when === 'today') q.from = midnight(0)
  if (f.when === 'yesterday') [q.from, q.to] = [midnight(-1), midnight(0)]
  if (f.when === 'week') q.from = midnight(-6)
  if (f.when === 'range') {
    if (f.since) q.from = new Date(`${f.since}T00:00`).getTime()
    if (f.until) q.to = midnight(1, new Date(`${f.until}T00:00`).getTime())
  }
  return q
}

export interface Bit {
  text: string
  hit: boolean
}

/** Splits the text into pieces; the beginnings of words that match are hits. */
export function hits(text: string, words: string): Bit[] {
  const wanted = words.split(/[^\p{L}\p{N}._-]+/u).filter(Boolean)
  if (!wanted.length) return [{ text, hit: false }]
  const any = wanted.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const out: Bit[] = []
  let from = 0
  for (const m of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})`, 'giu'))) {
    if (m.index > from) out.push({ text: text.slice(from, m.index), hit: false })
    out.push({ text: m[0], hit: true })
    from = m.index + m[0].length
  }
  if (from < text.length) out.push({ text: text.slice(from), hit: false })
  return out
}
