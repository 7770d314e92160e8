/** The fields and names of an alert in the screens. */
import type { ItemOf } from '../../client/monitor'
import { isPrefixed, shown } from '../../chart/lines'
import { number, severityOf, thresholdOf } from '../severity'
import type { Column } from '../table'
import { text } from './text'

export type Alert = ItemOf<'/alert/alerts'>

/** The fields of a row; notes are only requested for the open alert. */
export const rowFields =
  'id,severity,startEpoch,endEpoch,cleared,acked,ackedBy,monitorObjectId,monitorObjectName,monitorObjectType,deviceGroupId,collectorId,resourceTemplateName,resourceId,instanceId,instanceName,dataPointName,dataPointUnit,alertValue,alertValueWord,reason,condition,threshold,sdted,type'

export const severityColumn: Column = {
  id: 'severity',
  label: text.columns.severity,
  width: '84px',
  sort: 'severity',
  down: true,
}
export const deviceColumn: Column = {
  id: 'device',
  label: text.columns.device,
  width: 'minmax(110px, 1fr)',
  sort: 'monitorObjectName',
}
export const sourceColumn: Column = { id: 'source', label: text.columns.source, width: 'minmax(112px, 2fr)' }
export const valueColumn: Column = { id: 'value', label: text.columns.value, width: 'var(--alert-value, 216px)' }
export const ageColumn: Column = {
  id: 'age',
  label: text.columns.age,
  width: '76px',
  align: 'right',
  sort: 'startEpoch',
  down: true,
}
export const ackColumn: Column = { id: 'ack', label: '', name: text.columns.ack, width: '112px', align: 'right' }

/** Returns the kind of object of an alert. */
export function objectOf({
  monitorObjectType: type,
}: Pick<Alert, 'monitorObjectType'>): 'device' | 'group' | 'collector' {
  return type === 'deviceGroup' ? 'group' : type === 'collector' ? 'collector' : 'device'
}

/**
 * Returns the value that opened it, with its unit, and the limit it is beyond, if both are numbers.
 */
export function measured(a: Pick<Alert, 'alertValue' | 'alertValueWord' | 'threshold' | 'severity' | 'dataPointUnit'>) {
  const unit = a.dataPointUnit
  const value = Number(a.alertValue)
  const threshold = thresholdOf(a.threshold, a.severity)
  return a.alertValue !== '' && !a.alertValueWord && Number.isFinite(value) && threshold
    ? {
        value,
        threshold,
        text: isPrefixed(unit) ? shown(value, unit) : `${number(value)} ${unit}`.trim(),
        against: `${threshold.op} ${isPrefixed(unit) ? shown(threshold.limit, unit) : number(threshold.limit)}`,
      }
    : undefined
}

/** Returns the name of an instance without that of its data source: `Ethernet5` of SNMP_Interfaces-Ethernet5. */
export function instanceOf(a: Pick<Alert, 'instanceName' | 'resourceTemplateName'>): string {
  const { instanceName: name, resourceTemplateName: source } = a
  return name === source ? '' : name.startsWith(`${source}-`) ? name.slice(source.length + 1) : name
}

/** Returns a short name for an alert. */
export function called(a: Alert): string {
  return text.called(severityOf(a.severity).word, a.monitorObjectName, a.dataPointName)
}

/** Returns a condition for the API's filter that matches any text with all the words. */
export function textCondition(words: string): string {
  const quoted = `"${words.replace(/[\\"]/g, '\\$&')}"`
  return words ? `_all~${quoted}` : ''
}
