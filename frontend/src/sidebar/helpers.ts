import type { DocRow } from '../client'

/** One value of an answer that can be kept: where it stands and what it is. */
export interface Scalar {
  node: number
  path: string
  key: string
  text: string
  kind: DocRow['kind']
  cut: boolean
}

/**
 * The scalars among the first rows of an answer: top-level ones, nested ones,
 * and of a list those of its first item. `rows` begin at the document's root.
 */
export function scalars(rows: readonly DocRow[]): Scalar[] {
  const out: Scalar[] = []
  const paths: string[] = []
  let skipBelow = Infinity
  for (const row of rows) {
    if (row.depth > skipBelow) continue
    skipBelow = Infinity
    if (row.kind === 'end') continue
    if ((row.index ?? 0) > 0) {
      skipBelow = row.depth
      continue
    }
    const path = row.depth === 0 ? '$' : (paths[row.depth - 1] ?? '$') + step(row)
    paths[row.depth] = path
    if (row.kind === 'object' || row.kind === 'array') continue
    out.push({ node: row.node, path, key: row.key ?? '', text: row.text ?? 'null', kind: row.kind, cut: row.cut === true })
  }
  return out
}

function step(row: DocRow): string {
  if (row.index !== undefined) return `[${row.index}]`
  const key = row.key ?? ''
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
