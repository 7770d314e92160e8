import type { Endpoint, Schema } from '../../client'

/**
 * Returns the endpoint's own example, or one generated from its schema, as formatted JSON; '' if it
 * takes no body.
 */
export function exampleBody(e: Endpoint): string {
  if (e.example.body) return e.example.body
  return e.body ? JSON.stringify(exampleOf(e.body), null, 2) : ''
}

/** Returns a value that matches the schema, without read-only fields. */
export function exampleOf(s: Schema): unknown {
  if (s.example !== undefined) return s.example
  if (s.default !== undefined) return s.default
  if (s.enum?.length) return s.enum[0]
  switch (s.type) {
    case 'object':
      return Object.fromEntries((s.properties ?? []).filter((p) => !p.readOnly).map((p) => [p.name, exampleOf(p)]))
    case 'array':
      return s.items ? [exampleOf(s.items)] : []
    case 'integer':
    case 'number':
      return s.minimum ?? 0
    case 'boolean':
      return false
    case 'string':
      return ''
    default:
      return null
  }
}
