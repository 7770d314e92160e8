import type { Cell, Column, Columns, TableClient } from '../client/table'

/** Tables of fake documents: the items of a list, as far as tests need. */
export function fakeTables(text: (document: string) => string): TableClient {
  const items = (document: string) => (JSON.parse(text(document)) as { items?: Record<string, unknown>[] }).items ?? []
  const kind = (value: unknown): Exclude<Column['kind'], ''> =>
    Array.isArray(value) ? 'array' : (typeof value as Exclude<Column['kind'], '' | 'array'>)
  const cellKind = (value: unknown): Cell['kind'] => (value === null ? 'null' : kind(value))
  return {
    async columns(document): Promise<Columns> {
      const all = items(document)
      const columns = Object.entries(all[0] ?? {}).map(([id, value]) => ({ id, kind: kind(value), count: all.length }))
      return { shape: all.length ? 'items' : '', total: all.length, columns, whole: true, more: 0 }
    },
    async table(document, { columns, from = 0, count = 100 }) {
      const all = items(document)
      const rows = all.slice(from, from + count).map((item, i) => ({
        index: from + i,
        node: from + i,
        cells: columns.map((id) =>
          id in item
            ? {
                node: 0,
                kind: cellKind(item[id]),
                text: typeof item[id] === 'string' ? (item[id] as string) : JSON.stringify(item[id]),
              }
            : null,
        ),
      }))
      return { rows, total: all.length }
    },
    tableText: async (document) => JSON.stringify(items(document)),
    tableUrl: (document, format) => `#${document}.${format}`,
    reveal: async () => ({ row: 0, total: 1 }),
    windows: async () => [],
    series: async () => ({ title: '', unit: '', sets: [], thin: false, more: 0 }),
  }
}
