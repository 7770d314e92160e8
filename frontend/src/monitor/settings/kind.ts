import type { Changed } from '../../state/monitor/live.svelte'
import type { Component } from 'svelte'
import type { App } from '../../state/app.svelte'
import type { Cell, Column } from '../list/cells'
import type { Group, Values } from '../form/fields'
import type { Rows } from '../list/rows.svelte'

/** A row of any kind. */
export type Row = Values & { id: number | string }

/** An action on a row besides saving and deleting. */
export interface Act {
  label: string
  /** The call whose permission it requires. */
  method: 'POST' | 'PATCH'
  path: string
  /** Whether it applies to this row. */
  when: (row: Row, rows: Rows<Row>) => boolean
  /** Runs the action, and returns the result to show. Rejects with a Fault. */
  run: (app: App, row: Row, rows: Rows<Row>) => Promise<{ text: string; bad?: boolean }>
}

/** A kind of object in the settings: its list and its form. */
export interface Kind {
  /** The path of the list in the API. */
  path: string
  /** The list in which a row is changed, if it is another one. */
  of?: (row: Row) => string
  /** Names of the portal's resources whose changes are shown here. */
  follows: readonly Changed[]
  one: string
  many: string
  title: (row: Row) => string
  columns: Column<Row>[]
  sort: string
  groups: Group[]
  /** The initial values of a new one, in addition to the schema's defaults. */
  blank?: Values
  /** Filters to choose from. */
  narrow?: { label: string; filter: string }[]
  /** The text of the empty state. */
  empty: string
  /** Returns the text of the confirmation to delete one. */
  goes?: (row: Row) => string
  acts?: Act[]
  /** Returns the facts above the form. */
  facts?: (row: Row) => [string, Cell | string][]
  /** Shown for a row before it is edited; a button opens the form. */
  first?: () => Promise<{ default: Component<{ row: Row }> }>
  /** Shown above the form of a row. */
  above?: () => Promise<{ default: Component<{ row: Row }> }>
  /** Shown below the form of a row. */
  below?: () => Promise<{ default: Component<{ row: Row }> }>
  /** Shown instead of the form while one is added. */
  adding?: () => Promise<{ default: Component<{ onmade: (row: Row) => void }> }>
  /** Returns why a row is read-only. */
  locked?: (row: Row) => string
}
