import type { DraftData } from '../client'

/** Where in a request the field is that the portal says is wrong: `query.size`, `body.name`; '' when it is nowhere. */
export function fieldOf(field: string, draft: Pick<DraftData, 'pathParams' | 'query' | 'headers' | 'body'>): string {
  const has = (rows: DraftData['query']) => rows.some((r) => r.on && r.key === field)
  if (has(draft.query)) return `query.${field}`
  if (draft.pathParams.some((r) => r.key === field)) return `path.${field}`
  if (draft.headers.some((r) => r.on && r.key.toLowerCase() === field.toLowerCase())) return `headers.${field}`
  return draft.body.trim() ? `body.${field}` : ''
}
