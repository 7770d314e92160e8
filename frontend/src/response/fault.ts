import type { Fault } from '../client'
import { text } from './text'

/** A fault of sending in words: what failed, and whether anything went out. */
export interface Explained {
  title: string
  sent: string
  tone: 'crit' | 'warn'
}

type Cause = Pick<Fault, 'message' | 'status' | 'unknown' | 'cancelled' | 'retryAfter' | 'detail'>

export function explain(fault: Cause, portal: string): Explained {
  if (fault.cancelled) return { title: text.fault.cancelled, sent: text.fault.itMayHave, tone: 'warn' }
  if (fault.unknown.length) {
    const many = fault.unknown.length > 1
    return {
      title: many ? text.fault.variablesAreNot(fault.unknown.length) : text.fault.isNotSet(fault.unknown[0]),
      sent: text.fault.sentNothing,
      tone: 'warn',
    }
  }
  const failed = failures[String(fault.detail.failure)]
  if (failed) return { title: failed.title(portal), sent: failed.sent(portal), tone: 'crit' }
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
      return { title: text.fault.couldNotReach(portal), sent: text.fault.itMayHaveBeen, tone: 'crit' }
    case 503:
      return {
        title: text.fault.portalIsBusy(portal),
        sent: fault.retryAfter ? text.fault.tryAgainIn(fault.retryAfter) : text.fault.tryAgainInA,
        tone: 'warn',
      }
    case 507:
      return { title: text.fault.theDiskIs, sent: text.fault.makeRoomOn, tone: 'crit' }
    case 504:
      return { title: text.fault.didNotAnswer(portal), sent: text.fault.theRequestWasSentThe, tone: 'crit' }
    default:
      return { title: text.fault.theRequestFailed, sent: text.fault.whetherItWas, tone: 'crit' }
  }
}

/** How far the request came, by the failure that the server names. */
const failures: Record<string, { title: (portal: string) => string; sent: (portal: string) => string } | undefined> = {
  unreached: { title: text.fault.couldNotReach, sent: () => text.fault.sentNothing },
  no_response: { title: text.fault.couldNotReach, sent: () => text.fault.itMayHaveBeen },
  timed_out: { title: text.fault.didNotAnswer, sent: () => text.fault.theRequestMay },
  stalled: { title: text.fault.theAnswerOf, sent: () => text.fault.theRequestWasSent },
  incomplete: { title: text.fault.theAnswerOf, sent: () => text.fault.theRequestWas },
  unreadable: { title: text.fault.cannotBeRead, sent: () => text.fault.theRequestWas },
  redirects: { title: text.fault.leadsNowhere, sent: () => text.fault.theRequestWasSentOnly },
  unstored: { title: () => text.fault.theDiskIs, sent: text.fault.theRequestWasSentMay },
}
