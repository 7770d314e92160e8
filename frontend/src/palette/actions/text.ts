/** The text of the verbs, which load when the palette is used. */
import { counted, number } from '../../ui/locale'

/** Formats minutes in the largest unit that divides them: `2 hours`. */
function span(minutes: number): string {
  const [unit, size] = units.find(([, of]) => minutes % of === 0)!
  return counted(minutes / size, unit)
}
const units = [
  ['week', 10_080],
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const

export const text = {
  hint: (takes: string, does: string) => `${takes} · ${does}`,
  ack: {
    takes: 'device, group or datapoint: comment',
    does: 'acknowledge alerts',
    matching: (n: number, words: string) => `Acknowledge ${number(n)} alerts that match “${words}”`,
    ofGroup: (n: number, group: string) => `Acknowledge ${counted(n, 'alert')} of group ${group}`,
    one: (alert: string) => `Acknowledge ${alert}`,
    more: (n: number) => `${number(n)} more`,
    saying: (comment: string) => `“${comment}”`,
    sayWhy: 'add “: comment” to say why',
    comment: 'Acknowledged',
    confirm: (n: number) => `Acknowledge ${number(n)} alerts?`,
    tooMany: (most: number) => `More than ${number(most)} alerts match. Add words.`,
    none: (words: string) => `No unacknowledged alerts match “${words}”`,
    noneGoes: 'Type part of a device, a group or a data point.',
    failed: 'Not acknowledged',
    alerts: (n: number) => counted(n, 'alert'),
    others: (n: number) => `${number(n)} cleared or changed before they could be acknowledged.`,
    done: (what: string) => `Acknowledged ${what}`,
  },
  maintain: {
    takes: 'device or group, 30m, 2h or 1d: comment',
    does: 'plan maintenance from now',
    what: 'Type the name of a device or a group.',
    spans: 'add 30m, 2h, 1d or 1w for another duration',
    none: (words: string) => `No device or group matches “${words}”`,
    group: (name: string) => `group ${name}`,
    devices: (n: number, words: string) => `${number(n)} devices that match “${words}”`,
    more: (n: number) => `${number(n)} more`,
    saying: (comment: string) => `“${comment}”`,
    until: (moment: string) => `until ${moment}`,
    plan: (what: string, minutes: number) => `Plan maintenance of ${what} for ${span(minutes)}`,
    confirm: (n: number, minutes: number) => `Plan maintenance of ${number(n)} devices for ${span(minutes)}?`,
    confirmGroup: (group: string, minutes: number) =>
      `Plan maintenance of all devices of ${group} for ${span(minutes)}?`,
  },
  run: {
    takes: 'report name',
    does: 'run a report',
    what: 'Type the name of a report.',
    none: (words: string) => `No report matches “${words}”`,
    plan: (name: string) => `Run report ${name}`,
    hint: 'now, in its own format',
    failed: (name: string) => `${name} not started`,
    done: (name: string) => `Started report ${name}`,
    show: 'Show',
  },
  open: {
    takes: 'alerts of group or device since yesterday',
    does: 'open a screen',
    plan: (screen: string, of: string) => `Open ${screen}${of && ` of ${of}`}`,
    group: (name: string) => `group ${name}`,
    only: (severity: string) => `only ${severity.toLowerCase()}`,
    since: (moment: string) => `since ${moment}`,
    count: (n: number) => counted(n, 'alert'),
    noScreen: (words: string) => `No screen matches “${words}”`,
    screens: (names: string[]) => names.join(', '),
    noMoment: (words: string) => `“${words}” is not a time`,
    moments: 'Type yesterday, monday, 14:30, 2h or 2026-11-20.',
    onlyAlerts: 'Only alerts have a severity and a time.',
    notOf: (screen: string) => `${screen} cannot be narrowed to a group or a device`,
    none: (words: string) => `No group or device matches “${words}”`,
  },
  get: {
    takes: 'list filter words',
    does: 'send a GET request',
    none: (words: string) => `No list matches “${words}”`,
    noFilter: (path: string) => `${path} has no filter`,
    notUnderstood: (typed: string) => `“${typed}” is not a filter of this list`,
    count: (n: number) => (n < 0 ? `at least ${counted(-n, 'item')}` : counted(n, 'item')),
  },
} as const
