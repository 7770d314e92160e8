import type { Fault, FaultDetail } from '../client'
import { text } from './text'

/** Describes a fault of sending: what failed, and whether anything was sent. */
export interface Explained {
  title: string
  sent: string
  tone: 'crit' | 'warn'
}

type Cause = Pick<Fault, 'message' | 'status' | 'unknown' | 'cancelled' | 'retryAfter' | 'detail'>

export function explain(fault: Cause, portal: string): Explained {
  if (fault.cancelled) return { title: text.fault.cancelled, sent: text.fault.mayHaveReachedPortal, tone: 'warn' }
  if (fault.unknown.length) {
    const many = fault.unknown.length > 1
    return {
      title: many ? text.fault.variablesAreNot(fault.unknown.length) : text.fault.isNotSet(fault.unknown[0]),
      sent: text.fault.sentNothing,
      tone: 'warn',
    }
  }
  const failed = fault.detail.failure && failures[fault.detail.failure]
  if (failed) return { title: failed.title(portal), sent: failed.sent(portal), tone: 'crit' }
  switch (fault.status) {
    case 0:
      return { title: text.fault.spyglassDoesNot, sent: text.fault.nothingWasSentYour, tone: 'crit' }
    case 400:
      return { title: text.fault.requestIncomplete, sent: text.fault.sentNothing, tone: 'warn' }
    case 401:
      return { title: text.fault.sessionEnded, sent: text.fault.nothingWasSentSign, tone: 'warn' }
    case 403:
      return { title: text.fault.nothingWasSent, sent: '', tone: 'warn' }
    case 429:
      return {
        title: text.fault.tooManyRequests,
        sent: fault.retryAfter ? text.fault.tryAgainIn(fault.retryAfter) : text.fault.tryAgainInA,
        tone: 'warn',
      }
    case 502:
      return { title: text.fault.couldNotReach(portal), sent: text.fault.noResponseArrived, tone: 'crit' }
    case 503:
      return {
        title: text.fault.portalIsBusy(portal),
        sent: fault.retryAfter ? text.fault.tryAgainIn(fault.retryAfter) : text.fault.tryAgainInA,
        tone: 'warn',
      }
    case 507:
      return { title: text.fault.diskFull, sent: text.fault.freeUpSpace, tone: 'crit' }
    case 504:
      return { title: text.fault.timedOut(portal), sent: text.fault.sentMayStillProcess, tone: 'crit' }
    default:
      return { title: text.fault.requestFailed, sent: text.fault.whetherItWas, tone: 'crit' }
  }
}

/** The texts for how far the request got, by the server's failure. */
const failures: Record<
  NonNullable<FaultDetail['failure']>,
  { title: (portal: string) => string; sent: (portal: string) => string }
> = {
  unreached: { title: text.fault.couldNotReach, sent: () => text.fault.sentNothing },
  no_response: { title: text.fault.couldNotReach, sent: () => text.fault.noResponseArrived },
  timed_out: { title: text.fault.timedOut, sent: () => text.fault.mayHaveBeenSent },
  stalled: { title: text.fault.isIncomplete, sent: () => text.fault.theRequestWasSent },
  incomplete: { title: text.fault.isIncomplete, sent: () => text.fault.theRequestWas },
  unreadable: { title: text.fault.cannotBeRead, sent: () => text.fault.theRequestWas },
  redirects: { title: text.fault.leadsNowhere, sent: () => text.fault.sentOnlyRedirects },
  unstored: { title: () => text.fault.diskFull, sent: text.fault.sentMayProcess },
}
