/** The text of the topology map. */
import { number } from '../../ui/locale'
import { text as monitor } from '../text'
import type { Letter } from './fleet'

const { severities } = monitor
const states: Record<Letter, string> = {
  c: severities.crit,
  e: severities.error,
  w: severities.warn,
  s: 'Not responding',
  u: severities.unknown,
  n: severities.ok,
}
const devices = (n: number) => `${number(n)} ${n === 1 ? 'device' : 'devices'}`

export const text = {
  title: 'Map',

  unread: 'Could not load the map',
  again: 'Try again',
  none: 'No devices to show',
  noneGoes: 'The map shows devices and what they depend on.',
  showFleet: 'Show the fleet',
  call: 'this map',

  states,
  handled: 'acknowledged or in maintenance',
  devices,
  /** A device, for screen readers. */
  device: (name: string, state: string, handled: boolean, groups: string[]) =>
    `${name}: ${state}${handled ? ', acknowledged or in maintenance' : ''}, in ${groups.join(', ')}`,
  /** A closed box, for screen readers. */
  box: (name: string, count: number, states: string) => `${name}: ${devices(count)}${states && `, ${states}`}`,
  some: (n: number, state: string) => `${number(n)} ${state.toLowerCase()}`,

  map: 'Devices on the map',
  keys: 'Arrow keys move between devices and groups, plus and minus zoom, 0 shows everything, Enter opens, Escape closes.',
  hint: 'Drag to pan, scroll or + − to zoom, arrow keys to move',
  search: 'Find on the map',
  noMatches: 'No matches',
  more: (n: number) => `${number(n)} more. Type more letters.`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  everything: 'Show everything',
  table: 'Show as table',
  legend: 'Legend',

  rows: 'Devices in view',
  shownRows: (shown: number, all: number) => `The first ${number(shown)} of ${number(all)}. Zoom in to see the others.`,
  columns: { state: 'State', name: 'Device or group', group: 'In', depends: 'Depends on' },
  zoomTo: (name: string) => `Zoom to ${name}`,
  select: (name: string) => `Select ${name}`,

  panel: {
    title: 'Selected device',
    close: 'Close',
    open: 'Open device',
    alerts: 'Active alerts',
    noAlerts: 'No active alerts',
    moreAlerts: (n: number) => `${number(n)} more`,
    story: 'Story',
    storyOf: (what: string) => `Story of ${what}`,
    cause: (name: string) => `Probable cause: ${name}`,
    depends: 'Depends on',
    dependsNot: 'Nothing. Set the property parent.device to change that.',
    radius: 'Blast radius',
    nothing: 'No device depends on it',
    dependents: (n: number, direct: number) => `${devices(n)}${direct < n ? `, ${number(direct)} directly` : ''}`,
    affected: (n: number) =>
      n === 1 ? '1 has an alert or does not respond' : `${number(n)} have alerts or do not respond`,
    highlight: 'Highlight',
    path: 'Path to',
    pathFrom: 'Find a device',
    clear: 'Clear the path',
    via: {
      none: '',
      dependencies: 'Along dependencies',
      groups: 'Through groups: no dependencies connect them',
    },
    instances: 'Instances',
    noInstances: 'No instances',
    moreInstances: (n: number) => `${number(n)} more on the device’s page`,
    unread: 'Could not load the details',
  },
} as const
