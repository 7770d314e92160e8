import type { Environment, Portal } from '../client/portals'

/** What a remote portal is used for, in words and by the class of its frame. */
export const environments: { id: Environment; label: string; doc: string }[] = [
  { id: 'production', label: 'Production', doc: 'What happens here is real' },
  { id: 'staging', label: 'Staging', doc: 'Like production, before it' },
  { id: 'test', label: 'Test', doc: 'To try things' },
  { id: 'demo', label: 'Demo', doc: 'Made-up data' },
]

export function environmentLabel(id: Environment): string {
  return id === 'local' ? 'Local' : (environments.find((e) => e.id === id)?.label ?? id)
}

/** Who is signed in to a portal, in a few words. */
export function asWhom(p: Portal): string {
  if (p.auth === 'none') return 'without signing in'
  if (p.auth === 'token') return p.secret ? 'with a token' : 'no token yet'
  if (p.auth === 'lmv1') return p.secret ? `as ${p.account}` : 'no access key yet'
  return p.user ? `as ${p.user}` : 'not signed in'
}

/** A fingerprint as people compare it. */
export function inPairs(fingerprint: string): string {
  return (fingerprint.toUpperCase().match(/../g) ?? []).join(':')
}

/** What is wrong with an address of a portal, or ''. */
export function wrongAddress(text: string, own: string[]): string {
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return 'An address begins with http:// or https://, and a host follows.'
  }
  if (!/^https?:$/.test(url.protocol)) return 'An address begins with http:// or https://.'
  if (url.username || url.password) return 'Leave user name and password out of the address; they have fields of their own.'
  if (url.search || url.hash) return 'The address ends before ? and #.'
  if (own.includes(url.host)) return 'This is the built-in portal, which is in your list already.'
  return ''
}
