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

/** Returns the rows with identities; those of `before` with the same keys are changed, so that the page keeps them. */
export function editRows(rows: readonly Row[] | null | undefined, before: readonly EditRow[] = []): EditRow[] {
  const left = [...before]
  return (rows ?? []).map((row) => {
    const at = left.findIndex((r) => r.key === row.key)
    if (at < 0) return editRow(row)
    const [same] = left.splice(at, 1)
    ;[same.on, same.value, same.doc] = [row.on, row.value, row.doc]
    return same
  })
}

/** Returns the rows in their stored form, without identities. */
export function plainRows(rows: readonly EditRow[]): Row[] {
  return rows.map(({ on, key, value, doc }) => (doc ? { on, key, value, doc } : { on, key, value }))
}
