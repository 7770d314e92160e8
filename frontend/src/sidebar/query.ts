import { METHODS } from '../client'

/**
 * Converts the search of the history to a filter: a method and a status match themselves, every other word must be in
 * the path or the address.
 */
export function historyFilter(query: string): string {
  const fixed: string[] = []
  const words: string[] = []
  for (const word of query.trim().split(/\s+/).filter(Boolean)) {
    if ((METHODS as readonly string[]).includes(word.toUpperCase())) fixed.push(`method:"${word.toUpperCase()}"`)
    else if (/^[1-5]\d\d$/.test(word)) fixed.push(`status:${word}`)
    else if (/^[1-5]xx$/i.test(word)) fixed.push(`status>:${word[0]}00`, `status<:${word[0]}99`)
    else words.push(word.replace(/[\\"]/g, '\\$&'))
  }
  if (!words.length) return fixed.join(',')
  const within = (field: string) => [...fixed, ...words.map((w) => `${field}~"${w}"`)].join(',')
  return `${within('path')}||${within('url')}`
}
