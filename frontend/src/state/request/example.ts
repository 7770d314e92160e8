import type { Endpoint, Schema } from '../../client'

/** The endpoint's own example, or one made from its schema. Pretty JSON text; '' when it takes no body. */
export function exampleBody(e: Endpoint): string {
  if (e.example.body) return e.example.body
  return e.body ? JSON.stringify(exampleOf(e.body), null, 2) : ''
}

/** A value that fits the schema; fields the portal sets itself are left out. */
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
