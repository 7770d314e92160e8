/** The fields of a data source in the screen. */
import type { ItemOf } from '../../client/monitor'
import type { FieldPlan } from '../form/fields'
import { text } from './text'

export type Source = ItemOf<'/setting/datasources'>
export type DataPoint = Source['dataPoints'][number]

/** A device that can be selected for a test. */
export interface Device {
  id: number
  displayName: string
}

export const path = '/setting/datasources'

/** The fields of a data point that determine when it is an alert. */
export type Rule = Pick<
  DataPoint,
  'alertExpr' | 'alertForNoData' | 'alertTransitionInterval' | 'alertClearTransitionInterval'
>

export const ruleOf = (p: DataPoint): Rule => ({
  alertExpr: p.alertExpr,
  alertForNoData: p.alertForNoData,
  alertTransitionInterval: p.alertTransitionInterval,
  alertClearTransitionInterval: p.alertClearTransitionInterval,
})

/** The form field with the rule of a data point. */
export const fieldOfPoint = (p: Pick<DataPoint, 'id'>) => `rule.${p.id}`

/** The meanings of missing data, by alertForNoData. */
export const noData = [1, 2, 3, 4].map((value) => ({ value, word: text.points.noDataIs[value] }))

/** Maximum consecutive polls that open an alert or clear it. */
export const mostPolls = 60
/** The API uses 0 for one. */
export const pollsOf = (written: number) => (written === 0 ? 1 : written)

/** Validates a rule before it is sent; '' if it is valid. */
function ruleProblem(value: unknown): string {
  const r = value as Rule
  const wrong = (['alertTransitionInterval', 'alertClearTransitionInterval'] as const).find(
    (key) => !(Number.isInteger(r[key]) && r[key] >= 0 && r[key] <= mostPolls),
  )
  return wrong ? text.points.polls(text.points.parts[wrong], 1, mostPolls) : ''
}

/** The rule of a data point as a form field. */
export const planOf = (p: DataPoint): FieldPlan => ({
  name: fieldOfPoint(p),
  label: p.name,
  textOf: ruleInWords,
  check: ruleProblem,
})

/** Formats a rule as one line, to compare two of them. */
export function ruleInWords(value: unknown): string {
  const r = value as Rule | undefined
  return text.points.rule(
    r && {
      threshold: r.alertExpr,
      noData: text.points.noDataIs[r.alertForNoData],
      opens: pollsOf(r.alertTransitionInterval),
      clears: pollsOf(r.alertClearTransitionInterval),
    },
  )
}

/** Returns the unit of the first graph with the data point; '' if none has one. */
export function unitOf(source: Pick<Source, 'graphs' | 'overviewGraphs'>, point: string): string {
  const graph = [...source.graphs, ...source.overviewGraphs].find(
    (g) => g.verticalLabel && g.lines.some((l) => !l.isVirtualDataPoint && l.dataPointName === point),
  )
  return graph?.verticalLabel ?? ''
}

/** Returns the source of a data point: a field of the check, or an expression. */
export function origin(p: Pick<DataPoint, 'postProcessorMethod' | 'postProcessorParam' | 'rawDataFieldName'>): string {
  return p.postProcessorMethod === 'expression' ? `= ${p.postProcessorParam}` : p.rawDataFieldName
}

/** Formats an interval: `1 min`, `90 s`, `2 h`. */
export function every(seconds: number): string {
  for (const [of, unit] of [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const)
    if (seconds >= of && seconds % of === 0) return `${seconds / of} ${text.units[unit]}`
  return `${seconds} ${text.units.s}`
}
