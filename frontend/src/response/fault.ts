import type { Fault } from '../client'
import { text } from './text'

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
  if (fault.cancelled) return { title: text.fault.cancelled, sent: text.fault.itMayHave, tone: 'warn' }
  if (fault.unknown.length) {
    const many = fault.unknown.length > 1
    return {
      title: many ? text.fault.variablesAreNot(fault.unknown.length) : text.fault.isNotSet(fault.unknown[0]),
      sent: text.fault.sentNothing,
      tone: 'warn',
    }
  }
  switch (fault.status) {
    case 0:
      return { title: text.fault.spyglassDoesNot, sent: text.fault.nothingWasSentYour, tone: 'crit' }
    case 400:
      return { title: text.fault.theRequestIs, sent: text.fault.sentNothing, tone: 'warn' }
    case 401:
      return { title: text.fault.theSessionHas, sent: text.fault.nothingWasSentSign, tone: 'warn' }
    case 403:
      return { title: text.fault.nothingWasSent, sent: '', tone: 'warn' }
    case 429:
      return {
        title: text.fault.tooManyRequests,
        sent: fault.retryAfter ? text.fault.tryAgainIn(fault.retryAfter) : text.fault.tryAgainInA,
        tone: 'warn',
      }
    case 502:
      if (/broke off/.test(fault.message))
        return { title: text.fault.theAnswerOf(portal), sent: text.fault.theRequestWas, tone: 'crit' }
      if (/did not answer within/.test(fault.message))
        return { title: text.fault.didNotAnswer(portal), sent: text.fault.theRequestMay, tone: 'crit' }
      if (/stalled|was not done/.test(fault.message))
        return { title: text.fault.theAnswerOf(portal), sent: text.fault.theRequestWasSent, tone: 'crit' }
      if (/in a circle/.test(fault.message))
        return { title: text.fault.leadsNowhere(portal), sent: text.fault.theRequestWasSentOnly, tone: 'crit' }
      if (/answered, but not|answered with|is no address/.test(fault.message))
        return { title: text.fault.cannotBeRead(portal), sent: text.fault.theRequestWas, tone: 'crit' }
      return {
        title: text.fault.couldNotReach(portal),
        sent: neverSent.test(fault.message) ? text.fault.sentNothing : text.fault.itMayHaveBeen,
        tone: 'crit',
      }
    case 503:
      return {
        title: text.fault.portalIsBusy(portal),
        sent: fault.retryAfter ? text.fault.tryAgainIn(fault.retryAfter) : text.fault.tryAgainInA,
        tone: 'warn',
      }
    case 507:
      if (/not stored/.test(fault.message))
        return { title: text.fault.theDiskIs, sent: text.fault.theRequestWasSentMay(portal), tone: 'crit' }
      return { title: text.fault.theDiskIs, sent: text.fault.makeRoomOn, tone: 'crit' }
    case 504:
      return { title: text.fault.didNotAnswer(portal), sent: text.fault.theRequestWasSentThe, tone: 'crit' }
    default:
      return { title: text.fault.theRequestFailed, sent: text.fault.whetherItWas, tone: 'crit' }
  }
}
