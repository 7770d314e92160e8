import type { Reply } from '../client'
import type { Draft } from '../state/request/draft.svelte'
import type { ShownResponse } from '../state/response/shown-response.svelte'
import type { OpenTab } from '../state/tabs/workspace.svelte'

/**
 * The props of every response view. While the response is filtered, views with `filtered` get the
 * matches as `reply` and `response`.
 */
export interface ViewProps {
  tab: OpenTab
  draft: Draft
  reply: Reply
  response: ShownResponse
}
