import type { Changed } from '../../state/monitor/live.svelte'
import type { Component } from 'svelte'
import type { App } from '../../state/app.svelte'
import type { Cell, Column } from '../list/cells'
import type { Group, Values } from '../form/fields'
import type { Rows } from '../list/rows.svelte'

/** A row of any kind. */
export type Row = Values & { id: number | string }

/** One thing that can be done with a row beyond saving and deleting. */
export interface Act {
  label: string
  /** The call it needs the right for. */
  method: 'POST' | 'PATCH'
  path: string
  /** Whether it goes with this row. */
  when: (row: Row, rows: Rows<Row>) => boolean
  /** Does it, and says what came of it. Rejects with a Fault. */
  run: (app: App, row: Row, rows: Rows<Row>) => Promise<{ text: string; bad?: boolean }>
}

/** A kind of thing of the portal as the settings show it: its list, and its form. */
export interface Kind {
  /** Of the list in the API. */
  path: string
  /** The list in which a row is changed, where that is another one. */
  of?: (row: Row) => string
  /** Names of the portal's resources whose changes show here. */
  follows: readonly Changed[]
  one: string
  many: string
  title: (row: Row) => string
  columns: Column<Row>[]
  sort: string
  groups: Group[]
  /** What a new one begins with, besides the schema's defaults. */
  blank?: Values
  /** Filters to choose from. */
  narrow?: { label: string; filter: string }[]
  /** What is said while there are none. */
  empty: string
  /** What is said before one is deleted. */
  goes?: (row: Row) => string
  acts?: Act[]
  /** Facts above the form. */
  facts?: (row: Row) => [string, Cell | string][]
  /** What a row shows before it is edited; the form comes with a button then. */
  first?: () => Promise<{ default: Component<{ row: Row }> }>
  /** What stands above the form of a row. */
  above?: () => Promise<{ default: Component<{ row: Row }> }>
  /** What stands below the form of a row. */
  below?: () => Promise<{ default: Component<{ row: Row }> }>
  /** In place of the form while one is added. */
  adding?: () => Promise<{ default: Component<{ onmade: (row: Row) => void }> }>
  /** Rows that are only looked at. */
  locked?: (row: Row) => string
}
