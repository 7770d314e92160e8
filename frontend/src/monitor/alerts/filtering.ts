import { textCondition } from './alert'

/** The filters of the screen; '' is no filter. */
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

/** The API's filter for the choices: all of them together. */
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
