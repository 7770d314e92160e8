/** The text of checks. */
import { number } from '../../ui/locale'

export const text = {
  checks: 'Checks',
  addCheck: 'Add check',
  noChecks: 'No checks',
  addOne: 'A check compares the response with what you expect, each time you send the request.',
  loadFailed: (message: string) => `Could not load the kinds of checks: ${message}`,
  tryAgain: 'Try again',
  passed: (n: number, all: number) => `${number(n)} of ${number(all)} passed`,
  notRun: 'Send the request to run the checks.',
  on: (check: string) => `${check} on`,
  kind: (check: string) => `Kind of ${check}`,
  operator: (check: string) => `Operator of ${check}`,
  target: (label: string, check: string) => `${label} of ${check}`,
  value: (check: string) => `Value of ${check}`,
  removeOne: (check: string) => `Remove ${check}`,
  remove: 'Remove',
  unnamed: (n: number) => `check ${number(n)}`,
  expected: 'Expected',
  actual: 'Actual',
  didPass: 'passed',
  didFail: 'failed',
  unknown: (kind: string) => `Unknown: ${kind}`,
  added: 'Check added',
  show: 'Show checks',
} as const
