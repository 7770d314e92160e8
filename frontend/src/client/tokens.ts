/** API tokens that can do no more than one request needs. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'
import type { DraftData } from './model'

export type TokenPlan = Schemas['TokenPlan']
export type MadeToken = Schemas['MadeToken']

export interface TokensClient {
  /** Returns the least role for the request. */
  tokenPlan(draft: DraftData): Promise<TokenPlan>
  /** Creates a token, and its role if none fits. The secret is in this response only. */
  makeToken(draft: DraftData, note: string, days: number): Promise<MadeToken>
}

export function tokensClient(http: Http): TokensClient {
  const { post } = explorer(http)
  return {
    tokenPlan: (draft) => post('/tokens/plan', { body: { draft } }),
    makeToken: (draft, note, days) => post('/tokens', { body: { draft, note, days } }),
  }
}
