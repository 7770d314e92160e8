import type { Param, Schema } from '../client'

type Ruled = Pick<Param, 'minimum' | 'maximum' | 'default'> & Pick<Schema, 'maxLength' | 'format'>

/** What a value must keep to, in a few words: `1 to 1,000, default 50`. */
export function constraints(of: Ruled): string {
  const n = (v: number) => v.toLocaleString('en')
  const words: string[] = []
  if (of.minimum !== undefined && of.maximum !== undefined) words.push(`${n(of.minimum)} to ${n(of.maximum)}`)
  else if (of.minimum !== undefined) words.push(`at least ${n(of.minimum)}`)
  else if (of.maximum !== undefined) words.push(`at most ${n(of.maximum)}`)
  if (of.maxLength !== undefined) words.push(`up to ${n(of.maxLength)} characters`)
  if (of.format) words.push(of.format)
  if (of.default !== undefined && of.default !== null && of.default !== '') words.push(`default ${typeof of.default === 'string' ? of.default : JSON.stringify(of.default)}`)
  return words.join(', ')
}
