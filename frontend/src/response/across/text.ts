/** The text of requests to two portals, and of lists of two portals. */
import { counted, number } from '../../ui/locale'

export const text = {
  title: 'Compare with another portal',
  close: 'Close',
  other: 'Other portal',
  noOther: 'There is no other portal. Add one first.',
  addPortal: 'Add portal…',
  readOnly: 'read-only',
  notSignedIn: (portal: string) => `You are not signed in to ${portal}.`,
  signIn: 'Sign in…',
  both: (method: string, here: string, there: string) =>
    `Spyglass sends the ${method} to ${here} and to ${there}, and shows the differences between the responses.`,
  writes: (method: string, here: string, there: string) =>
    `${method} changes both portals: first ${here}, then ${there}.`,
  list: 'Or compare the lists: Spyglass fetches all pages, matches the items, and can create what is missing.',
  refusesWrites: (portal: string) => `${portal} is read-only, so it refuses writes.`,
  sendBoth: 'Send to both and compare',
  sendWrite: (method: string) => `Send ${method} to both`,
  compareLists: 'Compare lists',
  sending: (portal: string) => `Sending to ${portal}…`,
  onPortal: (portal: string, what: string) => `${portal}: ${what}`,

  listsOf: (path: string, here: string, there: string) => `${path} in ${here} and ${there}`,
  key: 'Match by',
  again: 'Compare again',
  cancel: 'Cancel',
  reading: 'Reading both lists…',
  kinds: (here: string, there: string) =>
    ({
      here: `only in ${here}`,
      there: `only in ${there}`,
      different: 'different',
      same: 'same',
    }) as const,
  count: (n: number, kind: string) => `${number(n)} ${kind}`,
  items: 'Items of both lists',
  alike: (n: number) => (n ? `No differences between ${counted(n, 'item')}.` : 'Both lists are empty.'),
  hidden: 'All items are hidden. Use the buttons above to show them.',
  details: 'Details',
  choose: 'Select an item to see its details.',
  field: 'Field',
  same: 'No differences',
  onlyThere: (portal: string) => `Only ${portal} has this item.`,
  willSend: (path: string) => `To create it, Spyglass sends POST ${path}:`,
  leftOut: 'Left out:',
  needs: (field: string, key: string) => `${field} gets the ID of “${key}”, which is created first.`,
  noCreate: (portal: string) => `${portal} has no POST to create items of this list.`,
  isReadOnly: (portal: string) => `${portal} is read-only.`,
  unlock: (portal: string) => `Unlock ${portal}`,
  tooMany: (most: number) => `Select at most ${number(most)} items to create.`,
  clear: 'Clear selection',
  create: (n: number, all: boolean, portal: string) => `Create ${all && n > 1 ? 'all ' : ''}${number(n)} in ${portal}…`,
  confirmCreate: (n: number, portal: string) => `Create ${counted(n, 'item')} in ${portal}?`,
  confirmText: (path: string) =>
    `Spyglass sends POST ${path} once for each item, and continues after a failure. You can undo each creation.`,
  plan: 'Items to create',
  leaves: (left: readonly string[]) => `leaves out ${left.length === 1 ? left[0] : counted(left.length, 'value')}`,
  createNow: (n: number) => `Create ${counted(n, 'item')}`,
  creating: (n: number, all: number, portal: string) => `Creating ${number(n)} of ${number(all)} in ${portal}…`,
  done: (made: number, failed: number, left: number, portal: string) =>
    [
      `Created ${counted(made, 'item')} in ${portal}.`,
      failed ? `${number(failed)} failed.` : '',
      left ? `${number(left)} not sent.` : '',
    ]
      .filter(Boolean)
      .join(' '),
  results: 'Results',
  made: 'created',
  failed: (problem: string) => `failed: ${problem}`,
  undo: 'Undo',
  undoOf: (name: string) => `Undo ${name}`,
  undoAll: 'Undo all',
  undone: 'undone',
  notUndone: (message: string) => `not undone: ${message}`,
} as const
