/** A response as a table and as the lines of a chart; Go reads both from the document. */
import type { Http } from './call'
import type { DocRow } from './document'

export interface Column {
  /**
   * Keys from the item down, with dots between; `\` before a dot, `$` or `\` in a key. `$` is an item that is no
   * object.
   */
  id: string
  /** '' when its cells differ. */
  kind: DocRow['kind'] | ''
  /** Rows that have it. */
  count: number
}

export interface Columns {
  /** The items of a list, the keys of one object, the moments of measured data; '' for a body that is no table. */
  shape: 'items' | 'fields' | 'points' | ''
  total: number
  columns: Column[]
  /** Every row was looked at. */
  whole: boolean
  /** Columns beyond the first 500. */
  more: number
}

export interface Cell {
  node: number
  kind: DocRow['kind']
  text: string
  cut?: boolean
}

export interface TableRow {
  /** In the document, however the table is sorted. */
  index: number
  node: number
  /** As the columns were asked for; null where the item has none. */
  cells: (Cell | null)[]
}

export interface TableQuery {
  columns: string[]
  sort?: string
  desc?: boolean
  from?: number
  /** 0 or absent is all, in an export. */
  count?: number
}

export type TableFormat = 'csv' | 'tsv' | 'markdown' | 'xlsx'

export interface Line {
  name: string
  /** null for a gap. */
  values: (number | null)[]
  min: number | null
  max: number | null
  last: number | null
  count: number
  gaps: number
}

export interface Series {
  title: string
  unit: string
  /** Lines with the same moments, in epoch milliseconds. */
  sets: { name: string; time: number[]; lines: Line[] }[]
  /** Some points were left out; of each step the least and the greatest remain. */
  thin: boolean
  /** Lines beyond the first 50. */
  more: number
}

export interface SeriesQuery {
  /** The column with the moments, for a list. */
  time?: string
  lines?: string[]
  points: number
  from?: number
  to?: number
}

export interface TableClient {
  /** `look` is how many rows are looked at, 0 for all. */
  columns(document: string, nested: boolean, look: number): Promise<Columns>
  table(document: string, query: TableQuery, signal?: AbortSignal): Promise<{ rows: TableRow[]; total: number }>
  /** The table as text for the clipboard; rejects when it is too much. */
  tableText(document: string, format: TableFormat, query: TableQuery, nested: boolean): Promise<string>
  /** The address of the table as a file. */
  tableUrl(document: string, format: TableFormat, query: TableQuery, nested: boolean, name: string): string
  /** Opens what is around a node of the tree and answers its row. */
  reveal(document: string, node: number): Promise<{ row: number; total: number }>
  series(document: string, query: SeriesQuery, signal?: AbortSignal): Promise<Series>
  /**
   * When maintenance, as a portal lists it, is in effect in a time; `of` is its place in the list. Epoch
   * milliseconds.
   */
  windows(
    from: number,
    to: number,
    planned: object[],
    signal?: AbortSignal,
  ): Promise<{ of: number; from: number; to: number }[]>
}

export function tableClient({ json, ask }: Http): TableClient {
  const doc = (id: string, verb: string, values: URLSearchParams) =>
    `/explorer/documents/${encodeURIComponent(id)}/${verb}?${values}`
  const exported = (id: string, format: TableFormat, query: TableQuery, more: Record<string, string>) => {
    const values = searchOf(query)
    for (const [key, value] of Object.entries({ format, ...more })) values.set(key, value)
    return doc(id, 'export', values)
  }
  return {
    columns: (id, nested, look) =>
      json(doc(id, 'columns', new URLSearchParams({ nested: String(nested), look: String(look) }))),
    table: (id, query, signal) => json(doc(id, 'table', searchOf(query)), { signal }),
    tableText: async (id, format, query, nested) =>
      (await ask(exported(id, format, query, { clip: 'true', nested: String(nested) }))).text(),
    tableUrl: (id, format, query, nested, name) => exported(id, format, query, { nested: String(nested), name }),
    reveal: (id, node) => json(doc(id, 'reveal', new URLSearchParams({ node: String(node) }))),
    series(id, { time, lines = [], points, from, to }, signal) {
      const values = new URLSearchParams({ points: String(Math.round(points)) })
      if (time) values.set('time', time)
      if (from) values.set('from', String(Math.floor(from)))
      if (to) values.set('to', String(Math.ceil(to)))
      for (const line of lines) values.append('line', line)
      return json(doc(id, 'series', values), { signal })
    },
    windows: async (from, to, planned, signal) =>
      (
        await json<{ items: { of: number; from: number; to: number }[] }>('/explorer/maintenance/windows', {
          method: 'POST',
          body: { from, to, planned: planned.map(scheduleOf) },
          signal,
        })
      ).items,
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
]

/** Of maintenance what says when it is. */
function scheduleOf(planned: object): object {
  return Object.fromEntries(Object.entries(planned).filter(([key, value]) => schedule.includes(key) && value !== null))
}

function searchOf({ columns, sort, desc, from, count }: TableQuery): URLSearchParams {
  const values = new URLSearchParams()
  for (const id of columns) values.append('column', id)
  if (sort) values.set('sort', sort)
  if (desc) values.set('desc', 'true')
  if (from) values.set('from', String(from))
  if (count) values.set('count', String(count))
  return values
}
