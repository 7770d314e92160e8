/** The names of the demo's incidents, and what each does. */
import type { IconName } from '../../ui/icons'

export interface IncidentText {
  kind: string
  name: string
  /** What happens, in one sentence. */
  does: string
  icon: IconName
  /** It affects the API only, and opens no alerts. */
  ofApi?: boolean
}

export const incidentTexts: readonly IncidentText[] = [
  {
    kind: 'coreSwitchDown',
    name: 'Core switch down',
    icon: 'device',
    does: 'A core switch and the devices that depend on it stop responding. One critical alert covers them.',
  },
  {
    kind: 'diskFilling',
    name: 'Disk filling',
    icon: 'gauge',
    does: 'The disks of one server fill up. Its alert goes from warning to critical within an hour.',
  },
  {
    kind: 'cpuStorm',
    name: 'Busy processors',
    icon: 'pulse',
    does: 'The processors of a whole group are busy, as after a bad release: many alerts, one cause.',
  },
  {
    kind: 'flappingLink',
    name: 'Flapping link',
    icon: 'plug',
    does: 'One interface keeps going down and up. Its alerts open and clear.',
  },
  {
    kind: 'certificateExpiring',
    name: 'Certificate expiring',
    icon: 'key',
    does: 'A certificate goes through its last days within an hour.',
  },
  {
    kind: 'collectorDown',
    name: 'Collector down',
    icon: 'system',
    does: 'A collector goes down. Its devices are no longer monitored.',
  },
  {
    kind: 'alertStorm',
    name: 'Alert storm',
    icon: 'bell',
    does: 'Everything exceeds its threshold, every ten seconds: a test of nerves, and of filters.',
  },
  {
    kind: 'slowAnswers',
    name: 'Slow API',
    icon: 'clock',
    does: 'The API takes two seconds for each response.',
    ofApi: true,
  },
  {
    kind: 'tooManyRequests',
    name: 'Rate limit',
    icon: 'filter',
    does: 'The API responds to every second request with 429 and the time to retry.',
    ofApi: true,
  },
  {
    kind: 'failingAnswers',
    name: 'Failing API',
    icon: 'close',
    does: 'The API responds to about every third request with 500.',
    ofApi: true,
  },
  {
    kind: 'expiredSession',
    name: 'Sessions refused',
    icon: 'lock',
    does: 'The API responds with 401 for a minute, as if every session had ended.',
    ofApi: true,
  },
]

export function incidentText(kind: string): IncidentText {
  return incidentTexts.find((i) => i.kind === kind) ?? { kind, name: kind, does: '', icon: 'bell' }
}
