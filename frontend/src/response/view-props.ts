import type { Reply } from '../client'
import type { Draft } from '../state/request/draft.svelte'
import type { Answer } from '../state/response/answer.svelte'
import type { OpenTab } from '../state/tabs/workspace.svelte'

/**
 * The props of every response view. While the response is filtered, `reply` and `answer` are those of the matches for a
 * view that says `filtered`.
 */
export interface ViewProps {
  tab: OpenTab
  draft: Draft
  reply: Reply
  answer: Answer
}
