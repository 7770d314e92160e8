import type { Environment, Portal, PortalData } from '../client/portals'
import { text as said } from './text'

/** The environments of remote portals, with the class of their frame. */
export const environments: { id: PortalData['environment']; label: string; doc: string }[] = [
  { id: 'production', label: said.environment.production, doc: said.environment.changesAffectLive },
  { id: 'staging', label: said.environment.staging, doc: said.environment.beforeProduction },
  { id: 'test', label: said.environment.test, doc: said.environment.forTrying },
  { id: 'demo', label: said.environment.demo, doc: said.environment.madeUpData },
]

export function environmentLabel(id: Environment): string {
  return id === 'local' ? said.environment.local : (environments.find((e) => e.id === id)?.label ?? id)
}

/** Describes who is signed in to a portal, in a few words. */
export function asWhom(p: Portal): string {
  if (p.auth === 'none') return said.environment.withoutSigningIn
  if (p.auth === 'token') return p.secret ? said.environment.withAToken : said.environment.noTokenYet
  if (p.auth === 'lmv1') return p.secret ? said.environment.as(p.account) : said.environment.noAccessKey
  return p.user ? said.environment.asUser(p.user) : said.environment.notSignedIn
}

/** Formats a fingerprint in pairs, to compare it. */
export function inPairs(fingerprint: string): string {
  return (fingerprint.toUpperCase().match(/../g) ?? []).join(':')
}

const isLocal = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)

/** Completes an address that was typed without http:// or https://: HTTPS, except on this machine. */
export function withScheme(text: string): string {
  const address = text.trim()
  if (!address || /^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return address
  const [host] = /^(\[[^\]]*\]|[^:/]*)/.exec(address)!
  return `${isLocal(host.toLowerCase()) ? 'http' : 'https'}://${address}`
}

/** Validates an address of a portal; '' if it is valid. */
export function wrongAddress(text: string, own: string[]): string {
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return said.environment.anAddressBegins
  }
  if (!/^https?:$/.test(url.protocol)) return said.environment.anAddressBeginsWith
  if (url.username || url.password) return said.environment.leaveUserName
  if (url.search || url.hash) return said.environment.theAddressEnds
  if (own.includes(url.host)) return said.environment.thisIsThe
  return ''
}

/** Whether an address names a host only, so that its API may begin further down. */
export const hasNoPath = (address: string) => /^https?:\/\/[^/]+\/?$/i.test(address.trim())

/** Whether a portal on another machine would get a password or a token without TLS. */
export function isInClear(address: string, auth: Portal['auth']): boolean {
  if (auth !== 'session' && auth !== 'token') return false
  try {
    const { protocol, hostname } = new URL(address.trim())
    return protocol === 'http:' && !isLocal(hostname)
  } catch {
    return false
  }
}

/** Returns why the user may not send to other portals, or ''. */
export function whyNotReach(user?: { rights: string[] }): string {
  return user && !user.rights.includes('write on explorer') ? said.portalMenu.roleCannotSend : ''
}
