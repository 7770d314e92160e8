import { text } from './text'

/** How long to wait, in words: `Try again in 1 min 5 s`. */
export function wait(seconds: number): string {
  return text.wait(Math.floor(seconds / 60), seconds % 60)
}
