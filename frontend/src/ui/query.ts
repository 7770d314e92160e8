/** Returns the query of an address for display, with its question mark; '' if it has none. */
export function queryOf(url: string): string {
  const at = url.indexOf('?')
  const query = at < 0 ? '' : url.slice(at).split('#')[0]
  if (query === '?') return ''
  try {
    return decodeURIComponent(query.replaceAll('+', ' '))
  } catch {
    return query
  }
}
