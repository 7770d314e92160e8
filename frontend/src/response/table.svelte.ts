import type { Client, Reply } from '../client'
import type { Cell, Column, Columns, TableQuery, TableRow } from '../client/table'
import type { Left } from '../state/response/left'
import type { ShownResponse } from '../state/response/shown-response.svelte'
import { columnKeys, columnName, hintOf, widthFor } from './cells'
import { lasting } from '../ui/lasting.svelte'

/** Rows per request. */
const pageSize = 100
const pagesKept = 20
/** Columns that are shown by default. */
const shownAtFirst = 40
/** Number of rows to derive the first columns from; the others follow. */
const firstLook = 1000

/** The stored state of the table of an endpoint. */
export interface KeptTable {
  columns?: string[]
  widths?: Record<string, number>
  nested?: boolean
}

type Door = Pick<Client, 'columns' | 'table'>

/** A response as a table: its columns, the visible ones, and the rows around the view. */
export class Table {
  found = $state.raw<Columns>()
  chosen = $state.raw<string[]>([])
  widths = $state.raw<Record<string, number>>({})
  nested = $state(false)
  sort = $state('')
  desc = $state(false)
  problem = $state('')
  /** The focused cell; row -1 is the header. */
  at = $state.raw({ row: 0, column: 0 })
  /** The start of the selection; the same as `at` for one cell. */
  from = $state.raw({ row: 0, column: 0 })
  #version = $state(0)

  readonly total = $derived(this.found?.total ?? 0)
  readonly columns: Column[] = $derived.by(() => {
    const known = new Map(this.found?.columns.map((c) => [c.id, c]))
    return this.chosen.map((id) => known.get(id)).filter((c) => c !== undefined)
  })
  readonly ids: string[] = $derived(this.columns.map((c) => c.id))
  /** The positions of the columns, in pixels. */
  readonly places = $derived.by(() => {
    let left = 0
    return this.columns.map((c) => {
      const width = this.widths[c.id] ?? this.#needed(c)
      const place = { column: c, left, width }
      left += width
      return place
    })
  })
  readonly width = $derived(this.places.reduce((sum, p) => sum + p.width, 0))

  #pages = new Map<number, TableRow[]>()
  #fetching = new Set<number>()
  #generation = 0
  #seen = { first: 0, last: pageSize - 1 }

  constructor(
    private door: Door,
    readonly document: string,
    private kept: KeptTable = {},
    left?: Left['table'],
  ) {
    this.nested = kept.nested ?? false
    this.widths = kept.widths ?? {}
    if (left) [this.sort, this.desc, this.at, this.from] = [left.sort, left.desc, left, left]
  }

  /** The state to store. */
  get keep(): KeptTable {
    return { columns: this.chosen, widths: this.widths, nested: this.nested }
  }

  get query(): TableQuery {
    return { columns: this.ids, sort: this.sort, desc: this.desc }
  }

  /** Loads the columns: those of the first rows at once, then all. */
  async begin() {
    const generation = ++this.#generation
    try {
      const first = await this.door.columns(this.document, this.nested, firstLook)
      if (generation !== this.#generation) return
      this.#take(first)
      if (first.whole) return
      const all = await this.door.columns(this.document, this.nested, 0)
      if (generation === this.#generation) this.#take(all)
    } catch (e) {
      if (generation === this.#generation) this.problem = (e as Error).message
    }
  }

  row(index: number): TableRow | undefined {
    void this.#version
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize]
  }

  cell(row: number, column: number): Cell | null | undefined {
    return this.row(row)?.cells[column]
  }

  /** Loads the missing rows of first…last. */
  need(first: number, last: number) {
    this.#seen = { first, last }
    if (!this.ids.length) return
    for (
      let page = Math.floor(Math.max(0, first) / pageSize);
      page * pageSize <= Math.min(last, this.total - 1);
      page++
    ) {
      const have = this.#pages.get(page)
      if (have) {
        this.#pages.delete(page) // most recently used: move to the end
        this.#pages.set(page, have)
      } else void this.#fetch(page)
    }
  }

  choose(ids: string[]) {
    this.kept = {}
    this.chosen = ids
    this.at = this.from = { row: this.at.row, column: Math.max(0, Math.min(this.at.column, this.ids.length - 1)) }
    this.#again()
  }

  /** Moves a column before the one at an index. */
  move(id: string, to: number) {
    const rest = this.chosen.filter((c) => c !== id)
    rest.splice(Math.max(0, Math.min(to, rest.length)), 0, id)
    this.choose(rest)
  }

  resize(id: string, width: number) {
    this.widths = { ...this.widths, [id]: Math.round(Math.max(48, Math.min(1200, width))) }
  }

  sortBy(id: string, desc: boolean) {
    this.sort = id
    this.desc = desc
    this.#again()
  }

  /** Cycles through ascending, descending and original order. */
  turn(id: string) {
    if (this.sort !== id) this.sortBy(id, false)
    else if (!this.desc) this.sortBy(id, true)
    else this.sortBy('', false)
  }

  async nest(nested: boolean) {
    this.nested = nested
    this.kept = {}
    this.chosen = []
    if (this.sort) this.sortBy('', false)
    await this.begin()
  }

  /** Moves the focus; `extend` keeps the start of the selection. */
  go(row: number, column: number, extend = false) {
    const to = {
      row: Math.max(-1, Math.min(row, this.total - 1)),
      column: Math.max(0, Math.min(column, this.ids.length - 1)),
    }
    this.at = extend && to.row < 0 ? { ...to, row: 0 } : to
    if (!extend) this.from = this.at
  }

  /** Selects every cell. */
  all() {
    this.at = { row: Math.min(0, this.total - 1), column: 0 }
    this.from = { row: this.total - 1, column: this.ids.length - 1 }
  }

  /**
   * The selected cells, including the last ones; for the header, the first row, which is then
   * shown.
   */
  readonly selection = $derived.by(() => {
    const [a, b] = [this.at, this.from]
    return {
      top: Math.max(0, Math.min(a.row, b.row)),
      bottom: Math.max(0, a.row, b.row),
      left: Math.min(a.column, b.column),
      right: Math.max(a.column, b.column),
    }
  })

  readonly many = $derived(this.selection.top !== this.selection.bottom || this.selection.left !== this.selection.right)

  #take(found: Columns) {
    const first = this.found === undefined || this.chosen.length === 0
    this.found = found
    this.problem = ''
    const wanted = this.kept.columns?.filter((id) => found.columns.some((c) => c.id === id))
    if (wanted?.length) this.chosen = wanted
    else if (first) this.chosen = found.columns.slice(0, shownAtFirst).map((c) => c.id)
    else if (this.chosen.length < shownAtFirst) {
      const more = found.columns.filter((c) => !this.chosen.includes(c.id)).slice(0, shownAtFirst - this.chosen.length)
      this.chosen = [...this.chosen, ...more.map((c) => c.id)]
    }
    if (found.whole) this.kept = {}
    this.#again()
  }

  #again() {
    this.#pages.clear()
    this.#fetching.clear()
    this.#version++
    this.need(this.#seen.first, this.#seen.last)
  }

  async #fetch(page: number) {
    if (this.#fetching.has(page)) return
    this.#fetching.add(page)
    const fetching = this.#fetching
    const requested = JSON.stringify(this.query)
    try {
      const { rows } = await this.door.table(this.document, { ...this.query, from: page * pageSize, count: pageSize })
      if (requested !== JSON.stringify(this.query)) return
      this.problem = ''
      this.#pages.set(page, rows)
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= pagesKept) break
        this.#pages.delete(old)
      }
      this.#version++
    } catch (e) {
      if (requested === JSON.stringify(this.query)) this.problem = (e as Error).message
    } finally {
      fetching.delete(page)
    }
  }

  #needed(column: Column): number {
    void this.#version
    const at = this.ids.indexOf(column.id)
    const key = columnKeys(column.id).at(-1) ?? ''
    const texts = (this.#pages.get(0) ?? []).slice(0, 50).map((r) => {
      const cell = r.cells[at]
      return cell ? cell.text + (hintOf(key, cell) ? `  ${hintOf(key, cell)}` : '') : ''
    })
    return widthFor(columnName(column.id), texts)
  }
}

const tables = new WeakMap<Reply, Table>()

/** Returns the Table of a response, with its restored state. */
export function tableOf(client: Client, { reply, left }: ShownResponse, kept: () => KeptTable | undefined): Table {
  let table = tables.get(reply)
  if (!table) {
    table = lasting(() => new Table(client, reply.document, kept(), left.table))
    tables.set(reply, table)
    void table.begin()
  }
  return table
}
