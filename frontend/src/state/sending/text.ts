/** The text of sending requests and fetching pages. */
import { number } from '../../ui/locale'
import { wait } from '../../ui/wait'

export const text = {
  sending: {
    wasRefusedBefore: (line: string) => `${line} was refused before you signed in.`,
    sendItNow: 'Send it now',
    needsAValue: (name: string) => `{${name}} needs a value`, // as returned by Go
    notUndone: (message: string) => `Not undone: ${message}.`,
    pageOf: (page: number, pages: number) => `page ${number(page)} of ${number(pages)}`,
    page: (page: number) => `page ${number(page)}`,
    seconds: (s: string) => `${s} s`,
    waiting: (seconds: number) => `waiting ${wait(seconds)} for the quota`,
    isReadOnly: (name: string, method: string) => `${name} is read-only. Unlock it to send ${method}.`,
    items: (n: number) => `${number(n)} ${n === 1 ? 'item' : 'items'}`,
    paused: 'paused',
    isIncomplete: (name: string, items: string, total: number, partial: string) =>
      `${name} is incomplete: ${items}${total ? ` of ${number(total)}` : ''}, ${partial}.`,
    savedTo: (items: string, name: string) => `Saved ${items} to ${name}.`,
  },
} as const
