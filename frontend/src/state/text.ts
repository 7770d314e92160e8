/** The text of toasts about tabs, links and extracted variables. */
import { number } from '../ui/locale'

export const text = {
  closed: (title: string) => `Closed ${title}`,
  closedTabs: (n: number) => `Closed ${number(n)} tabs`,
  undo: 'Undo',
  notSaved: (why: string) => `Not saved: ${why}`,
  linked: 'A link opened this request. Review it before you send it.',
  gone: 'The response is not in your history. Send the request to get a new one.',
  notKept: 'The response was not stored. Send the request to get a new one.',
  comparedGone: 'The compared responses are not in your history.',
  linkCopied: 'Link copied.',
  linkCopiedWithout: (parts: string) => `Link copied, without ${parts}.`,
  notSet: (variable: string, problem: string) => `{{${variable}}} was not set: ${problem}`,
  extracted: (variable: string, value: string) => `Extracted {{${variable}}} = ${value}`,
} as const
