import type { Values } from '../form/fields'

/**
 * Whether secrets could be sent to the address unencrypted: over http://, or with an earlier
 * consent.
 */
export function mayBeClear(v: Values): boolean {
  return v.sendInClear === true || /^\s*http:/i.test(String(v.url ?? ''))
}
