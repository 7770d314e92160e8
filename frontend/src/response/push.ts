import type { Draft } from '../state/request/draft.svelte'
import { editRow } from '../state/request/rows'

/** Writes a parameter into the request's query, and enables its row if it has one. */
export function setQuery(draft: Pick<Draft, 'query'>, key: string, value: string) {
  const row = draft.query.find((r) => r.key === key && r.on) ?? draft.query.find((r) => r.key === key)
  if (!row) draft.query = [...draft.query, editRow({ key, value })]
  else {
    row.on = true
    row.value = value
  }
}

/** Returns a parameter of the request's query, '' if it is off. */
export function queryOf(draft: Pick<Draft, 'query'>, key: string): string {
  return draft.query.find((r) => r.key === key && r.on)?.value ?? ''
}
