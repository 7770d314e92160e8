/** A response as a table and as the lines of a chart; Go computes both from the document. */
import type { Http } from './call'
import { explorer, type QueryOf, type Schemas } from './explorer'

export type Column = Schemas['Column']
export type Columns = Schemas['Columns']
export type Cell = Schemas['Cell']
export type TableRow = Schemas['TableRow']
export type TableQuery = Omit<QueryOf<'/documents/{id}/table'>, 'column'> & { columns: string[] }
export type TableFormat = NonNullable<QueryOf<'/documents/{id}/export'>['format']>
export type Line = Schemas['SeriesLine']
export type Series = Schemas['Series']
export type SeriesQuery = Omit<QueryOf<'/documents/{id}/series'>, 'line'> & { lines?: string[]; points: number }
/** Maintenance in the form of a portal's list. */
export type Planned = Schemas['Planned']

export interface TableClient {
  /** `look` is the number of rows to examine, 0 for all. */
  columns(document: string, nested: boolean, look: number): Promise<Columns>
  table(document: string, query: TableQuery, signal?: AbortSignal): Promise<Schemas['TableRows']>
  /** Returns the table as text for the clipboard; rejects if it is too large. */
  tableText(document: string, format: TableFormat, query: TableQuery, nested: boolean): Promise<string>
  /** The address of the table as a file. */
  tableUrl(document: string, format: TableFormat, query: TableQuery, nested: boolean, name: string): string
  /** Expands the ancestors of a node of the tree, and returns its row. */
  reveal(document: string, node: number): Promise<Schemas['Revealed']>
  series(document: string, query: SeriesQuery, signal?: AbortSignal): Promise<Series>
  /**
   * Returns the windows of maintenance from a portal's list in a time range; `of` is the index in
   * the list. In epoch milliseconds.
   */
  windows(from: number, to: number, planned: Planned[], signal?: AbortSignal): Promise<Schemas['Stretch'][]>
}

export function tableClient(http: Http): TableClient {
  const { get, post, text, url } = explorer(http)
  return {
    columns: (id, nested, look) => get('/documents/{id}/columns', { params: { id }, query: { nested, look } }),
    table: (id, { columns: column, ...query }, signal) =>
      get('/documents/{id}/table', { params: { id }, query: { column, ...query }, signal }),
    tableText: (id, format, { columns: column, ...query }, nested) =>
      text('/documents/{id}/export', { params: { id }, query: { column, ...query, format, clip: true, nested } }),
    tableUrl: (id, format, { columns: column, ...query }, nested, name) =>
      url('/documents/{id}/export', { params: { id }, query: { column, ...query, format, nested, name } }),
    reveal: (id, node) => get('/documents/{id}/reveal', { params: { id }, query: { node } }),
    series: (id, { time, lines: line, points, from, to }, signal) =>
      get('/documents/{id}/series', {
        params: { id },
        query: {
          time,
          line,
          points: Math.round(points),
          from: from && Math.floor(from),
          to: to && Math.ceil(to),
        },
        signal,
      }),
    windows: async (from, to, planned, signal) =>
      (await post('/maintenance/windows', { body: { from, to, planned: planned.map(scheduleOf) }, signal })).items,
  }
}

const schedule = [
  'sdtType',
  'timezone',
  'startDateTime',
  'endDateTime',
  'hour',
  'minute',
  'endHour',
  'endMinute',
  'duration',
  'weekDay',
  'weekOfMonth',
  'monthDay',
] as const satisfies readonly (keyof Planned)[]

/** Returns the schedule of a maintenance. */
function scheduleOf(planned: Planned): Planned {
  const out: Planned = {}
  const copy = <K extends keyof Planned>(key: K) => void (planned[key] !== null && (out[key] = planned[key]))
  schedule.forEach(copy)
  return out
}
