/** The text of forms. */
import { accessTo } from '../../ui/access'
import { number } from '../../ui/locale'

const range = (least: number | undefined, most: number | undefined) =>
  least === undefined
    ? `at most ${number(most!)}`
    : most === undefined
      ? `at least ${number(least)}`
      : `from ${number(least)} to ${number(most)}`

export const text = {
  required: 'required',
  choose: 'Choose',
  loading: 'Loading…',
  nameless: (id: string) => `#${id}`,
  saving: 'Saving…',
  discard: 'Discard edits',
  cancel: 'Cancel',
  close: 'Close',

  wrong: {
    empty: (field: string) => `${field} is required.`,
    number: (field: string) => `${field} must be a number.`,
    whole: (field: string) => `${field} must be a whole number.`,
    range: (field: string, least: number | undefined, most: number | undefined) =>
      `${field} must be ${range(least, most)}.`,
    date: (field: string) => `${field}: enter a date.`,
    time: (field: string) => `${field}: enter a time.`,
    long: (field: string, most: number) => `${field} can have at most ${number(most)} characters.`,
  },

  lacks: (role: string, permission: string) => `Your role, ${role}, needs ${accessTo(permission)}.`,
  readOnly: (portal: string) => `${portal} is read-only. Unlock it to make changes.`,

  conflict: {
    title: 'Conflicting changes',
    somebody: 'Someone else changed this while you were editing.',
    both: 'Nothing is saved yet. You both changed these fields:',
    apart: 'Nothing is saved yet. You changed different fields, so you can keep both.',
    theirs: 'Theirs',
    yours: 'Yours',
    takeTheirs: 'Take theirs',
    keepMine: 'Keep mine',
    again: 'Then save again.',
    empty: 'empty',
  },

  pairs: {
    nameOf: (n: number, field: string) => `Name ${n} of ${field}`,
    valueOf: (n: number, field: string) => `Value ${n} of ${field}`,
    name: 'name',
    value: 'value',
    add: 'Add',
    line: 'this line',
    secret: 'Secret',
    secretOf: (n: number, field: string) => `Secret ${n} of ${field}`,
    secretGoes: 'Hides the value from everyone. You can replace it, but not read it.',
  },
  takeOut: (what: string) => `Remove ${what}`,
} as const
