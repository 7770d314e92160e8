import type { DraftData } from '../client'

/** Returns the place of the invalid field in a request: `query.size`, `body.name`; '' if it is not found. */
export function fieldOf(field: string, draft: Pick<DraftData, 'pathParams' | 'query' | 'headers' | 'body'>): string {
  const has = (rows: DraftData['query']) => rows.some((r) => r.on && r.key === field)
  if (has(draft.query)) return `query.${field}`
  if (draft.pathParams.some((r) => r.key === field)) return `path.${field}`
  if (draft.headers.some((r) => r.on && r.key.toLowerCase() === field.toLowerCase())) return `headers.${field}`
  return draft.body.trim() ? `body.${field}` : ''
}
