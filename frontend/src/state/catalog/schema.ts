import type { Param, Schema } from '../../client'
import { number } from '../../ui/locale'
import { text } from './text'

/** Returns every field name in a schema, including nested ones. */
export function fieldNames(schema: Schema | null | undefined): string[] {
  if (!schema) return []
  const own = (schema.properties ?? []).flatMap((p) => [p.name, ...fieldNames(p)])
  return [...own, ...fieldNames(schema.items)]
}

/** Returns the schema of the value at a path of keys and indexes. */
export function schemaAt(schema: Schema | null | undefined, path: readonly (string | number)[]): Schema | undefined {
  let at: Schema | undefined = schema ?? undefined
  for (const step of path) {
    if (!at) return undefined
    at = typeof step === 'number' ? at.items : at.properties?.find((p) => p.name === step)
  }
  return at
}

/** Describes the valid values in one line: `integer, 1 to 1000`. */
export function hint(p: Pick<Param, 'type' | 'enum' | 'minimum' | 'maximum' | 'default'> | Schema): string {
  if (p.enum?.length) return p.enum.length <= 3 ? p.enum.map(String).join(' | ') : text.schema.oneOf(p.enum.length)
  if (p.maximum !== undefined && p.maximum < 1e9) return text.schema.max(number(p.maximum))
  return p.type === 'any' ? '' : p.type
}
