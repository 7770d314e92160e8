import type { Environment, Portal, PortalData } from '../client/portals'
import { text as texts } from './text'

/** The environments of remote portals, with the class of their frame. */
export const environments: { id: PortalData['environment']; label: string; doc: string }[] = [
  { id: 'production', label: texts.environment.production, doc: texts.environment.changesAffectLive },
  { id: 'staging', label: texts.environment.staging, doc: texts.environment.beforeProduction },
  { id: 'test', label: texts.environment.test, doc: texts.environment.forTrying },
  { id: 'demo', label: texts.environment.demo, doc: texts.environment.madeUpData },
]

export function environmentLabel(id: Environment): string {
  return id === 'local' ? texts.environment.local : (environments.find((e) => e.id === id)?.label ?? id)
}

/** Describes who is signed in to a portal, in a few words. */
export function asWhom(p: Portal): string {
  if (p.auth === 'none') return texts.environment.withoutSigningIn
  if (p.auth === 'token') return p.secret ? texts.environment.withAToken : texts.environment.noTokenYet
  if (p.auth === 'lmv1') return p.secret ? texts.environment.as(p.account) : texts.environment.noAccessKey
  return p.user ? texts.environment.asUser(p.user) : texts.environment.notSignedIn
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
    return texts.environment.anAddressBegins
  }
  if (!/^https?:$/.test(url.protocol)) return texts.environment.anAddressBeginsWith
  if (url.username || url.password) return texts.environment.leaveUserName
  if (url.search || url.hash) return texts.environment.theAddressEnds
  if (own.includes(url.host)) return texts.environment.thisIsThe
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
  return user && !user.rights.includes('write on explorer') ? texts.portalMenu.roleCannotSend : ''
}
