import type { Param, Property, Schema } from '../client'

/** Whether a name or description contains every word of the query. */
export function speaksOf(query: string, of: { name?: string; doc?: string; enum?: unknown[] }): boolean {
  const text = `${of.name ?? ''} ${of.doc ?? ''} ${of.enum?.map(String).join(' ') ?? ''}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => text.includes(word))
}

export function paramsWith(query: string, params: Param[]): Param[] {
  return query.trim() ? params.filter((p) => speaksOf(query, p)) : params
}

/**
 * Returns the properties that match the query, and their parents; a match keeps everything inside
 * it. Returns undefined if nothing matches.
 */
export function schemaWith(query: string, schema: Schema | null | undefined): Schema | undefined {
  if (!schema || !query.trim()) return schema ?? undefined
  if (schema.type === 'array') {
    const items = schemaWith(query, schema.items)
    return items && { ...schema, items }
  }
  const properties = (schema.properties ?? []).flatMap((p): Property[] => {
    if (speaksOf(query, p)) return [p]
    const inner = schemaWith(query, p)
    return inner && (inner.properties?.length || inner.items?.properties?.length) ? [{ ...p, ...inner }] : []
  })
  return properties.length ? { ...schema, properties } : undefined
}

/** Returns the schema without the properties that the portal sets itself. */
export function writable<S extends Schema>(schema: S): S {
  const properties = schema.properties?.filter((p) => !p.readOnly).map((p) => writable(p))
  return {
    ...schema,
    ...(properties ? { properties } : {}),
    ...(schema.items ? { items: writable(schema.items) } : {}),
  }
}
