/** The text of adjusting a threshold on a chart. */
import { counted, number } from '../../../ui/locale'

const alerts = (n: number) => counted(n, 'alert')

export const text = {
  title: (point: string) => `Adjust the threshold of ${point}`,
  point: 'Data point',
  handle: (severity: string, point: string) => `${severity} threshold of ${point}`,
  value: (severity: string, op: string, value: string) => `${severity.toLowerCase()} ${op} ${value}`,
  hint: 'Drag a line, or use the arrow keys on its handle.',
  count: (n: number, days: number) => `${alerts(n)} in the last ${days} days`,
  counting: 'Counting alerts…',
  of: (n: number, severity: string) => `${number(n)} ${severity.toLowerCase()}`,
  parts: (parts: string[], lasted: string) => `${parts.join(', ')}; ${lasted} in total`,
  current: (n: number) => `Current threshold: ${alerts(n)}`,
  polls: (opens: number, clears: number) =>
    `Opens after ${counted(opens, 'poll')}, clears after ${counted(clears, 'poll')}.`,
  sparse: (until: string, every: string) =>
    `Samples until ${until} are ${every} apart, so shorter peaks are not counted.`,
  noSamples: 'There are no samples to count.',
  notCounted: 'Could not count alerts',

  applyTo: 'Apply to',
  levels: { instance: 'This instance', device: 'This device', group: 'Group', source: 'DataSource' },
  group: 'Device group',
  allDevices: 'All devices',
  before: 'Before',
  after: 'After',
  inherited: 'inherited',
  none: 'none',
  hidden: (level: string) => `On this instance, the threshold of ${level} overrides it.`,
  nearer: {
    instance: 'the instance',
    'instance group': 'the instance group',
    device: 'the device',
    group: 'another group',
  },
  apply: 'Apply',
  cancel: 'Cancel',
  failed: 'Threshold not changed',
  done: (point: string, level: string) => `Changed the threshold of ${point} for ${level}`,
  whose: { instance: 'this instance', device: 'this device', group: 'the group', source: 'the DataSource' },
  notUndone: 'Threshold not restored',
  unread: 'Could not load the threshold',
} as const
