/** The text of toasts about tabs, links and extracted variables. */
import { number } from '../ui/locale'

export const text = {
  closed: (title: string) => `Closed ${title}`,
  closedTabs: (n: number) => `Closed ${number(n)} tabs`,
  undo: 'Undo',
  notSaved: (why: string) => `Not saved: ${why}`,
  notSet: (variable: string, problem: string) => `{{${variable}}} was not set: ${problem}`,
  extracted: (variable: string, value: string) => `Extracted {{${variable}}} = ${value}`,
} as const
