import type { Fault } from '../client'

/** A fault of sending in words: what failed, and whether anything went out. */
export interface Explained {
  title: string
  sent: string
  tone: 'crit' | 'warn'
}

export function explain(fault: Cause, portal: string): Explained {
  const words = explainCause(fault, portal)
  return / sent\b/.test(fault.message) ? { ...words, sent: '' } : words // it says so itself
}

type Cause = Pick<Fault, 'message' | 'status' | 'unknown' | 'cancelled' | 'retryAfter'>

/** What a connection that was never made is called. */
const neverSent = /refused|no such host|unreachable|not resolve|certificate|tls/i

function explainCause(fault: Cause, portal: string): Explained {
  if (fault.cancelled) return { title: 'Cancelled', sent: 'It may have reached the portal before that.', tone: 'warn' }
  if (fault.unknown.length) {
    const many = fault.unknown.length > 1
    return { title: many ? `${fault.unknown.length} variables are not set` : `{{${fault.unknown[0]}}} is not set`, sent: 'Nothing was sent.', tone: 'warn' }
  }
  switch (fault.status) {
    case 0:
      return { title: 'Spyglass does not answer', sent: 'Nothing was sent. Your edits are kept.', tone: 'crit' }
    case 400:
      return { title: 'The request is not complete', sent: 'Nothing was sent.', tone: 'warn' }
    case 401:
      return { title: 'The session has ended', sent: 'Nothing was sent. Sign in and try again.', tone: 'warn' }
    case 403:
      return { title: 'Nothing was sent', sent: '', tone: 'warn' }
    case 429:
      return { title: 'Too many requests', sent: fault.retryAfter ? `Try again in ${fault.retryAfter} s.` : 'Try again in a moment.', tone: 'warn' }
    case 502:
      if (/broke off/.test(fault.message)) return { title: `The answer of ${portal} is not whole`, sent: 'The request was sent; the portal may have carried it out.', tone: 'crit' }
      if (/did not answer within/.test(fault.message)) return { title: `${portal} did not answer in time`, sent: 'The request may have been sent; the portal may still carry it out.', tone: 'crit' }
      if (/stalled|was not done/.test(fault.message)) return { title: `The answer of ${portal} is not whole`, sent: 'The request was sent; the portal may have carried it out. What came is not shown, because it is cut.', tone: 'crit' }
      if (/in a circle/.test(fault.message)) return { title: `${portal} leads nowhere`, sent: 'The request was sent; only redirects came back.', tone: 'crit' }
      return { title: `Could not reach ${portal}`, sent: neverSent.test(fault.message) ? 'Nothing was sent.' : 'It may have been sent; no answer came.', tone: 'crit' }
    case 507:
      if (/not kept/.test(fault.message)) return { title: 'The disk is full', sent: `The request was sent; ${portal} may have carried it out. Make room on the disk that holds the data folder, then try again.`, tone: 'crit' }
      return { title: 'The disk is full', sent: 'Make room on the disk that holds the data folder, then try again. Your edits are kept here.', tone: 'crit' }
    case 504:
      return { title: `${portal} did not answer in time`, sent: 'The request was sent; the portal may still carry it out.', tone: 'crit' }
    default:
      return { title: 'The request failed', sent: 'Whether it was carried out is not known.', tone: 'crit' }
  }
}
