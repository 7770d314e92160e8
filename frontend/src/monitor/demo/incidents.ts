/** The names of the demo's incidents, and what each does. */
import type { IconName } from '../../ui/icons'

export interface IncidentText {
  kind: string
  name: string
  /** What happens, in one sentence. */
  does: string
  icon: IconName
}

export const incidentTexts: readonly IncidentText[] = [
  {
    kind: 'coreSwitchDown',
    name: 'Core switch down',
    icon: 'divide',
    does: 'A core switch stops answering, and so does every device behind it; one critical alert stands for all of them.',
  },
  {
    kind: 'diskFilling',
    name: 'Disk filling',
    icon: 'download',
    does: 'The disks of one server fill steadily, so that its alert goes from warning to critical within the hour.',
  },
  {
    kind: 'cpuStorm',
    name: 'Busy processors',
    icon: 'pulse',
    does: 'The processors of a whole group are busy, as after a bad release: many alerts with one cause.',
  },
  {
    kind: 'flappingLink',
    name: 'Flapping link',
    icon: 'undo',
    does: 'One interface goes down and up again and again: alerts open and clear.',
  },
  {
    kind: 'certificateExpiring',
    name: 'Certificate expiring',
    icon: 'key',
    does: 'The last days of a certificate pass within the hour.',
  },
  {
    kind: 'collectorDown',
    name: 'Collector down',
    icon: 'plug',
    does: 'A collector falls silent; its devices are no longer looked after.',
  },
  {
    kind: 'alertStorm',
    name: 'Alert storm',
    icon: 'bell',
    does: 'Everything that has a threshold goes beyond it, every ten seconds: a test of nerves, and of filters.',
  },
  { kind: 'slowAnswers', name: 'Slow API', icon: 'clock', does: 'The API takes two seconds for each answer.' },
  {
    kind: 'tooManyRequests',
    name: 'Rate limit',
    icon: 'stop',
    does: 'The API answers every second request with 429 and says when to try again.',
  },
  {
    kind: 'failingAnswers',
    name: 'Failing API',
    icon: 'close',
    does: 'The API answers about every third request with 500.',
  },
  {
    kind: 'expiredSession',
    name: 'Sessions refused',
    icon: 'lock',
    does: 'The API answers 401 for a minute, as if every session had ended.',
  },
]

export function incidentText(kind: string): IncidentText {
  return incidentTexts.find((i) => i.kind === kind) ?? { kind, name: kind, does: '', icon: 'bell' }
}
