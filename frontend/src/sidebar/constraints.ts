import type { Param, Schema } from '../client'
import { number } from '../ui/locale'
import { text } from './text'

type Ruled = Pick<Param, 'minimum' | 'maximum' | 'default'> & Pick<Schema, 'maxLength' | 'format'>

/** Describes the constraints of a value in a few words: `1 to 1,000, default 50`. */
export function constraints(of: Ruled): string {
  const words: string[] = []
  if (of.minimum !== undefined && of.maximum !== undefined)
    words.push(text.constraints.to(number(of.minimum), number(of.maximum)))
  else if (of.minimum !== undefined) words.push(text.constraints.atLeast(number(of.minimum)))
  else if (of.maximum !== undefined) words.push(text.constraints.atMost(number(of.maximum)))
  if (of.maxLength !== undefined) words.push(text.constraints.upToCharacters(number(of.maxLength)))
  if (of.format) words.push(of.format)
  if (of.default !== undefined && of.default !== null && of.default !== '')
    words.push(text.constraints.default(typeof of.default === 'string' ? of.default : JSON.stringify(of.default)))
  return words.join(', ')
}
