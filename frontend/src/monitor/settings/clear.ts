import type { Values } from '../form/fields'

/** Whether secrets could go to the address unencrypted: over http://, or with consent that is still there. */
export function mayBeClear(v: Values): boolean {
  return v.sendInClear === true || /^\s*http:/i.test(String(v.url ?? ''))
}
