import { textCondition } from './alert'

/** The filters of the screen; '' for no filter. */
export interface Choices {
  severity: string
  acked: string
  sdt: string
  cleared: string
  source: string
  text: string
  /** Epoch seconds. */
  since: string
}

/** Returns the API's filter for the choices, all of which must match. */
export function conditionsOf(c: Choices): string {
  return [
    c.severity && `severity:${c.severity}`,
    c.acked && `acked:${c.acked === 'yes'}`,
    c.sdt && 'sdted:true',
    c.cleared === 'yes' && 'cleared:*',
    c.source && `resourceTemplateName:"${c.source.replace(/[\\"*]/g, '\\$&')}"`,
    c.since && `startEpoch>:${c.since}`,
    textCondition(c.text),
  ]
    .filter(Boolean)
    .join(',')
}
