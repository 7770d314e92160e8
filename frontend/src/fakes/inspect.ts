/** A fake of requests about a response, to look at the page without Go. */
import type { InspectClient, Leaf } from '../client/inspect'
import type { FakeDocument } from './document'

export function fakeInspect(doc: (id: string) => FakeDocument): Omit<InspectClient, 'extractors'> {
  return {
    filter: async (id) => {
      const rows = doc(id).rows(0, 200)
      return {
        matches: 1,
        document: id,
        bytes: doc(id).text.length,
        rows: rows.rows,
        rowCount: rows.total,
        lineCount: doc(id).text.split('\n').length,
      }
    },
    keys: async (id) => [...new Set([...doc(id).text.matchAll(/"([^"]+)": /g)].map((m) => m[1]))],
    scalars: async (id) => ({ list: null, more: false, scalars: leaves(JSON.parse(doc(id).text), '$', '') }),
    nodeJson: async (id, node) => doc(id).content(node),
    asRole: async () => ({ status: 200, message: '', right: '', document: '' }),
    compare: async () => ({ changes: [], added: 0, removed: 0, changed: 0, by: [] }),
    checkKinds: async () => [],
  }
}

function leaves(value: unknown, path: string, key: string): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((v, i) => leaves(v, `${path}[${i}]`, ''))
  if (value && typeof value === 'object') return Object.entries(value).flatMap(([k, v]) => leaves(v, `${path}.${k}`, k))
  const kind = value === null ? 'null' : (typeof value as Leaf['kind'])
  return [{ node: 0, path, key, text: String(value), kind, cut: false }]
}
