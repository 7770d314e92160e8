import type { Param, Schema } from '../client'
import { number } from '../ui/locale'

type Ruled = Pick<Param, 'minimum' | 'maximum' | 'default'> & Pick<Schema, 'maxLength' | 'format'>

/** What a value must keep to, in a few words: `1 to 1,000, default 50`. */
export function constraints(of: Ruled): string {
  const words: string[] = []
  if (of.minimum !== undefined && of.maximum !== undefined) words.push(`${number(of.minimum)} to ${number(of.maximum)}`)
  else if (of.minimum !== undefined) words.push(`at least ${number(of.minimum)}`)
  else if (of.maximum !== undefined) words.push(`at most ${number(of.maximum)}`)
  if (of.maxLength !== undefined) words.push(`up to ${number(of.maxLength)} characters`)
  if (of.format) words.push(of.format)
  if (of.default !== undefined && of.default !== null && of.default !== '') words.push(`default ${typeof of.default === 'string' ? of.default : JSON.stringify(of.default)}`)
  return words.join(', ')
}
