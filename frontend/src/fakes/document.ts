/** A response body read by rows, to look at the page without a portal. */
import type { DocRow, Found, Rows } from '../client'

interface FakeNode {
  id: number
  kind: Exclude<DocRow['kind'], 'end'>
  key?: string
  index?: number
  path: string
  value: unknown
  children: FakeNode[]
  open: boolean
}

export class FakeDocument {
  readonly text: string
  #nodes: FakeNode[] = []
  #root: FakeNode

  constructor(readonly value: unknown) {
    this.text = JSON.stringify(value, null, 2)
    this.#root = this.#build(value, '$')
  }

  rows(from: number, count: number): Rows {
    const all = this.#visible()
    return { rows: all.slice(from, from + count), total: all.length }
  }

  lines(from: number, count: number) {
    const all = this.text.split('\n')
    const lines = all.slice(from, from + count)
    return { lines, numbers: lines.map((_, i) => from + i + 1), total: all.length }
  }

  toggle(node: number, open: boolean, deep: boolean) {
    const set = (n: FakeNode) => {
      n.open = open
      if (deep) n.children.forEach(set)
    }
    set(node < 0 ? this.#root : this.#nodes[node])
    if (node < 0) this.#root.open = true
  }

  left(): string {
    return this.#nodes
      .filter((n) => n.open)
      .map((n) => n.id)
      .join(' ')
  }

  unfold(left: string) {
    const open = new Set(left.split(' ').map(Number))
    for (const n of this.#nodes) n.open = open.has(n.id)
  }

  path(node: number): string {
    return this.#nodes[node].path
  }

  content(node: number): string {
    const { value } = this.#nodes[node]
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  }

  find(query: string, from: number, matchCase: boolean): Found {
    const fold = (s: string) => (matchCase ? s : s.toLowerCase())
    const hits = this.#nodes.filter(
      (n) =>
        fold(n.key ?? '').includes(fold(query)) ||
        (n.children.length === 0 && fold(String(n.value)).includes(fold(query))),
    )
    const hit = hits[from]
    if (!hit) return { count: hits.length, index: 0, node: 0, row: 0, path: '', total: this.#visible().length }
    for (const n of this.#nodes) if (hit.path.startsWith(n.path) && n !== hit) n.open = true
    const rows = this.#visible()
    return {
      count: hits.length,
      index: from,
      node: hit.id,
      row: rows.findIndex((r) => r.node === hit.id && r.kind !== 'end'),
      path: hit.path,
      total: rows.length,
    }
  }

  #build(value: unknown, path: string, key?: string, index?: number): FakeNode {
    const kind =
      value === null
        ? 'null'
        : Array.isArray(value)
          ? 'array'
          : (typeof value as 'object' | 'string' | 'number' | 'boolean')
    const node: FakeNode = {
      id: this.#nodes.length,
      kind,
      key,
      index,
      path,
      value,
      children: [],
      open: path.split(/[.[]/).length < 4 && (index ?? 0) < 1,
    }
    this.#nodes.push(node)
    if (Array.isArray(value)) node.children = value.map((v, i) => this.#build(v, `${path}[${i}]`, undefined, i))
    else if (kind === 'object')
      node.children = Object.entries(value as object).map(([k, v]) => this.#build(v, `${path}.${k}`, k))
    return node
  }

  #visible(): DocRow[] {
    const rows: DocRow[] = []
    let line = 0
    const walk = (n: FakeNode, depth: number, comma: boolean) => {
      const nested = n.kind === 'object' || n.kind === 'array'
      line++
      rows.push({
        node: n.id,
        line,
        depth,
        kind: n.kind,
        key: n.key,
        index: n.index,
        comma,
        count: n.children.length,
        open: nested && n.open,
        ...(nested ? { preview: JSON.stringify(n.value).slice(0, 90) } : { text: String(n.value) }),
      })
      if (!nested) return
      if (!n.open) return void (line += JSON.stringify(n.value, null, 2).split('\n').length - 1)
      n.children.forEach((c, i) => walk(c, depth + 1, i < n.children.length - 1))
      rows.push({ node: n.id, line: ++line, depth, kind: 'end', of: n.kind, count: 0, open: false, comma })
    }
    walk(this.#root, 0, false)
    return rows
  }
}
