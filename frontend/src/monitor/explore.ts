import type { App } from '../state/app.svelte'
import { hasBody, type DraftData, type Row } from '../client'
import { pairsOf } from '../client/call'
import type { MadeCall } from '../client/monitor'
import { draftOf, emptyDraft } from '../state/request/draft.svelte'

/**
 * Converts the call to a request of the Explorer: the rows of the endpoint, with the used ones
 * enabled.
 */
export function draftOfCall(call: MadeCall, known?: DraftData): DraftData {
  const pairs = pairsOf(call.query)
  const given = new Map(pairs)
  const rows: Row[] = (known?.query ?? []).map((row) =>
    given.has(row.key) ? { ...row, on: true, value: given.get(row.key)! } : { ...row, on: false },
  )
  const more = pairs
    .filter(([key]) => !rows.some((r) => r.key === key))
    .map(([key, value]) => ({ on: true, key, value }))
  const fill = (row: Row): Row => ({ ...row, value: String(call.params?.[row.key] ?? row.value) })
  const names = [...call.path.matchAll(/\{(\w+)\}/g)].map((m) => ({ on: true, key: m[1], value: '' }))
  return {
    ...(known ?? emptyDraft()),
    method: call.method,
    path: call.path,
    template: call.path,
    query: [...rows, ...more],
    pathParams: (known?.pathParams.length ? known.pathParams : names).map(fill),
    body: hasBody(call.method) ? JSON.stringify(call.body ?? {}, null, 2) : '',
  }
}

/** Opens the call in a tab of the Explorer, and sends it if it only reads. */
export async function openInExplorer(app: App, call: MadeCall) {
  await app.catalog.settled
  const endpoint = app.catalog.byId(`${call.method} ${call.path}`)
  const tab = app.navigation.openDraft(draftOfCall(call, endpoint && draftOf(endpoint)))
  await app.navigation.shown()
  if (call.method === 'GET') void tab.draft.send()
}
