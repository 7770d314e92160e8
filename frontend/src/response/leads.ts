import type { App } from '../state/app.svelte'
import type { DraftData, MonitorSpot, Reply } from '../client'
import { shownAt, whereSdt } from '../monitor/shown'
import type { Draft } from '../state/request/draft.svelte'
import { itemFields } from '../state/request/objects'
import type { Choice } from '../ui/ContextMenu.svelte'
import { openerFor, type SentRequest, type Opener } from '../state/response/opener'
import { text } from './text'

/** The links of a value: the request that reads its object, and its place in the Monitor view. */
export interface Lead {
  noun: string
  draft: DraftData
  /**
   * Opens it in the Monitor view; undefined if the Monitor does not show it, or for a remote
   * portal.
   */
  watch?: () => void
}

/** The requests of responses: later edits do not change the links of their ids. */
const sent = new WeakMap<Reply, DraftData>()

/** The catalog may load after the response of a restored tab. */
function requestOf({ catalog }: App, draft: Draft, reply: Reply): SentRequest {
  let data = sent.get(reply)
  if (!data) sent.set(reply, (data = draft.data()))
  return { endpoint: catalog.of(data), data }
}

/** `depth` is the number of keys and indexes to the value: 1 for a key of the response itself. */
export function leadOf(
  app: App,
  draft: Draft,
  reply: Reply,
  key: string,
  value: string,
  depth: number,
): Lead | undefined {
  if (!/^id$|\wIds?$/.test(key) || reply.status >= 400) return undefined
  const by = requestOf(app, draft, reply)
  const items = by.endpoint?.answer?.type === 'array' ? 2 : itemFields(by.endpoint) ? 3 : 1
  const found = openerFor(key, value, depth === items, by, app.catalog.endpoints)
  return (
    found && { noun: found.noun, draft: found.draft, watch: app.portal.remote ? undefined : watcher(app, found, value) }
  )
}

function watcher(app: App, found: Opener, id: string): (() => void) | undefined {
  const go = (spot: MonitorSpot) => app.navigation.watch(spot.screen, spot.id, spot.filters)
  if (found.template === '/sdt/sdts/{id}')
    return () => void whereSdt(app.client, id).then(go, (e: Error) => app.toasts.show(e.message, { tone: 'error' }))
  const spot = shownAt(found)
  return spot && (() => go(spot))
}

/** Returns the actions for an id, as entries of a menu. */
export function leadChoices(app: App, lead: Lead | undefined): Choice[] {
  if (!lead) return []
  const { watch } = lead
  const request: Choice = {
    label: text.leads.openThis(lead.noun),
    icon: 'external',
    rule: !watch,
    run: () => void app.navigation.openDraft(lead.draft).draft.send(),
  }
  return watch ? [{ label: text.leads.openInMonitor, icon: 'pulse', rule: true, run: watch }, request] : [request]
}
