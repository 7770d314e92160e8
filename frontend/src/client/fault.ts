import type { Schemas } from './explorer'
import { text } from './text'

export type FaultBody = Schemas['Error']
export type FaultDetail = NonNullable<FaultBody['errorDetail']> & {
  /** What the user must do before anything else is served. */
  must?: string
  /** Of a sign-in whose password was right: `required`, or `wrong`. */
  secondFactor?: string
}

/** An error with a message for the user; `field` names the invalid input. */
export class Fault extends Error {
  constructor(
    message: string,
    /** The HTTP status of Spyglass itself, 0 if there was no response. */
    readonly status = 0,
    readonly detail: FaultDetail = {},
    readonly cancelled = false,
    /** Seconds to wait before trying again, 0 if unknown. */
    readonly retryAfter = 0,
    readonly code: string | number = '',
  ) {
    super(message)
    this.name = 'Fault'
  }

  get field(): string {
    return this.detail.field ?? ''
  }

  get unknown(): string[] {
    return this.detail.unknown ?? []
  }
}

/** Converts any thrown value to a Fault. */
export function asFault(e: unknown): Fault {
  if (e instanceof Fault) return e
  if (e instanceof DOMException && e.name === 'AbortError') return new Fault(text.cancelled, 0, {}, true)
  return new Fault(e instanceof Error ? e.message : String(e))
}
