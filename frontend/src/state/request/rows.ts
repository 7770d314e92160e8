import type { Row } from '../../client'

/**
 * A row while it is edited; `id` is its identity on the page, so that typing never moves the focus.
 */
export interface EditRow extends Row {
  id: number
}

let last = 0

export function editRow(row: Partial<Row> = {}): EditRow {
  return { on: row.on ?? true, key: row.key ?? '', value: row.value ?? '', doc: row.doc, id: ++last }
}

export function editRows(rows: readonly Row[] | null | undefined): EditRow[] {
  return (rows ?? []).map((row) => editRow(row))
}

/** Returns the rows in their stored form, without identities. */
export function plainRows(rows: readonly EditRow[]): Row[] {
  return rows.map(({ on, key, value, doc }) => (doc ? { on, key, value, doc } : { on, key, value }))
}
