import type { App } from '../state/app.svelte'
import type { Method } from '../client'
import type { IconName } from '../ui/icons'

/** A verb of the palette, such as maintain in `maintain web-01 1h`. */
export interface Verb {
  /** The first word of the action. */
  word: string
  /** Other words for it. */
  also: readonly string[]
  /** A hint about the words that follow. */
  takes: string
  /** A hint about its effect. */
  does: string
  icon: IconName
  /** It also works in other portals than the built-in one. */
  remote?: boolean
  /** Returns the possible actions. It looks up names in the portal. */
  plan(app: App, typed: string, signal: AbortSignal): Promise<Plan[]>
}

/** A possible action of a verb. Without `run`, it explains which part of the text is not understood. */
export interface Plan {
  id: string
  text: string
  hint?: string
  method?: Method
  /** Why the user may not do it. */
  why?: string
  /** The confirmation before an action that affects several objects or cannot be undone. */
  confirm?: string
  run?: () => unknown
}

/** Returns the verb of a command, and the text after its first word. */
export function spoken(verbs: readonly Verb[], query: string): { verb: Verb; typed: string } | undefined {
  const [, first = '', typed = ''] = /^\s*(\S+)\s+(\S.*)$/s.exec(query) ?? []
  const word = first.toLowerCase()
  const verb = verbs.find((v) => v.word === word || v.also.includes(word))
  return verb && { verb, typed: typed.trim() }
}

/** Splits a comment off: `core-sw: firmware update`. */
export function commented(typed: string): { target: string; comment: string } {
  const at = typed.search(/:\s/)
  return at < 0
    ? { target: typed.trim(), comment: '' }
    : { target: typed.slice(0, at).trim(), comment: typed.slice(at + 1).trim() }
}
