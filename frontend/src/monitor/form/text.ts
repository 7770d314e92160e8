/** The text of forms, all in one place: what a translator needs of them besides the names of their fields. */
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
  close: 'Close',

  wrong: {
    empty: (field: string) => `${field} is asked for.`,
    number: (field: string) => `${field} is a number.`,
    whole: (field: string) => `${field} is a whole number.`,
    range: (field: string, least: number | undefined, most: number | undefined) => `${field} is ${range(least, most)}.`,
    date: (field: string) => `${field}: a day is asked for.`,
    time: (field: string) => `${field}: a time is asked for.`,
    long: (field: string, most: number) => `${field} has at most ${number(most)} characters.`,
  },

  lacks: (role: string, permission: string) => `Your role, ${role}, lacks the right to ${permission}.`,
  readOnly: (portal: string) => `${portal} is read-only now: unlock it to change anything.`,

  conflict: {
    title: 'Changed meanwhile',
    somebody: 'Somebody changed this meanwhile.',
    both: 'Nothing was saved yet. These were changed on both sides:',
    apart: 'Nothing was saved yet. They changed other fields than you did: both changes can stand.',
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
    secretGoes: 'Hides the value from everyone. It can be replaced, never read.',
  },
  takeOut: (what: string) => `Take out ${what}`,
} as const
