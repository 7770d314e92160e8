/** The text of the fleet, all in one place: what a translator needs of this screen. */
import { number } from '../../ui/locale'

const devices = (n: number) => `${number(n)} ${n === 1 ? 'device' : 'devices'}`
const lengths: Record<number, string> = { 30: '30 minutes', 60: '1 hour', 120: '2 hours', 240: '4 hours', 720: '12 hours', 1440: '1 day', 10_080: '1 week' }

export const text = {
  title: 'Devices',
  devices,
  allDevices: 'All devices',
  pageNotLoaded: 'The device page could not be loaded',

  groups: 'Groups',
  tree: 'Device groups',
  treeWidth: 'Width of the groups',
  group: (name: string, n: number, wrong: string[]) => `${name}, ${devices(n)}${wrong.length ? `, alerts: ${wrong.join(', ')}` : ''}`,
  wrong: (n: number, severity: string) => `${n} ${severity.toLowerCase()}`,
  dynamic: 'Its expression decides which devices are inside',
  noGroup: 'No such group',
  editGroup: {
    add: (parent: string) => `Add a group in ${parent}`, edit: (group: string) => `Edit ${group}`, addHere: 'Add group', editThis: 'Edit group', addIt: 'Add group', save: 'Save',
    inside: 'What is in it', alerting: 'Alerts',
    fields: { name: 'Name', description: 'What it holds', appliesTo: 'Filled by an expression', disableAlerting: 'Alerting is off for all in it' },
    hints: { appliesTo: 'Empty: devices are put into it by hand', filled: (n: number) => `Empty: the ${devices(n)} in it ${n === 1 ? 'stays' : 'stay'}, and devices are put into it by hand from then on`, disableAlerting: 'What is in it is watched, and opens no alerts' },
    added: (group: string) => `Added ${group}`, saved: (group: string) => `Saved ${group}`, kept: (group: string, n: number) => `Saved ${group}; its ${devices(n)} ${n === 1 ? 'stays' : 'stay'} in it`,
    delete: 'Delete…', holds: 'Move what is in it to another group first.', goes: 'Its properties go with it, and the rights of roles on it. This cannot be undone.', deleted: (group: string) => `Deleted ${group}`, notDeleted: 'Not deleted',
  },

  status: 'Status',
  states: { all: 'All', crit: 'Critical', error: 'Error', warn: 'Warning', dead: 'Not answering', muted: 'Alerting off' },
  search: 'Search devices',
  columns: 'Columns',
  heads: { status: 'Status', device: 'Device', address: 'Host or IP', group: 'Groups', collector: 'Collector', description: 'Description', data: 'Last data' },
  call: 'devices',
  add: 'Add device',
  again: 'Try again',
  host: { dead: 'Not answering', noCollector: 'Collector down', ok: 'OK' },
  hostShort: { dead: 'dead', noCollector: 'no collector' },
  acked: 'Acknowledged',
  inMaintenance: 'In maintenance',
  muted: { said: 'alerting off', means: 'Alerting is off' },
  down: 'down',
  never: 'never',
  collector: (id: number) => `Collector ${id}`,
  none: {
    unread: 'Devices could not be read',
    matches: 'No device matches', showAll: (group: string) => `Show all of ${group}`,
    reads: (group: string, words: string, inState: boolean) => `Nothing in ${group} reads like “${words}”${inState ? ' in this state' : ''}.`,
    inState: (group: string) => `No device of ${group} is in this state.`,
    yet: 'No devices here yet', watch: 'Add a host, an appliance or a service, and Spyglass watches it.',
  },

  picked: {
    title: 'Picked devices', tooMany: (most: number) => `Up to ${devices(most)} are changed at once`, count: (n: number) => `${devices(n)} picked`, none: 'Pick none',
    maintenance: 'Maintenance', move: 'Move', alertingOff: 'Turn alerting off', alertingOn: 'Turn alerting on', compare: 'Compare', comparable: (most: number) => `The charts of 2 to ${most} devices in one`, delete: 'Delete',
  },
  undo: 'Undo',
  notUndone: 'Not undone',
  alerting: { not: 'Alerting not changed', on: (n: number) => `Alerting is on for ${devices(n)}`, off: (n: number) => `Alerting is off for ${devices(n)}` },
  removal: {
    ask: (what: string) => `Delete ${what}?`,
    goes: (names: string[]) => `${names.length > 1 ? `${names.slice(0, 8).join(', ')}${names.length > 8 ? ` and ${number(names.length - 8)} more` : ''}: their checks stop and their alerts end. They stay` : 'Its checks stop and its alerts end. It stays'} in the recycle bin, from where ${names.length > 1 ? 'they' : 'it'} can be restored.`,
    keep: 'Keep', act: 'Delete', not: 'Not deleted', done: (n: number) => `${devices(n)} deleted, and kept in the recycle bin`, notRestored: 'Not restored',
  },
  move: {
    title: (n: number) => `Move ${devices(n)} to a group`, means: 'Groups whose expression chooses devices are not changed by hand.',
    group: 'Group', stay: 'stay in their other groups too', cancel: 'Cancel', add: 'Add', move: 'Move',
    not: 'Not moved', added: (n: number, group: string) => `${devices(n)} added to ${group}`, moved: (n: number, group: string) => `${devices(n)} moved to ${group}`,
  },
  maintenance: {
    title: (what: string) => `Maintenance of ${what}`, means: 'Nobody is told of alerts meanwhile; they are still recorded.',
    start: 'Start', now: 'now', startAt: 'Start of the maintenance', noStart: 'The start is no date and time.',
    for: 'For', length: (minutes: number) => lengths[minutes], why: 'Why', whyExample: 'for example: firmware update',
    cancel: 'Cancel', plan: 'Plan maintenance', not: 'Maintenance not planned', notTakenBack: 'Not taken back', done: (n: number) => `Maintenance is planned for ${devices(n)}`,
  },

  adding: {
    title: 'Add device', close: 'Close', cancel: 'Cancel', add: 'Add device', busy: 'Adding…',
    steps: { where: '1. Where it is', what: '2. What is checked', who: '3. Who checks it, and where it belongs', properties: '4. Properties' },
    host: 'Host name or IP address', hostExample: 'for example web-42.example.net', shown: 'Name in lists', same: 'the same',
    ping: 'Whether it answers to ping is always checked.',
    /** What a new device can be watched by: its name, what is asked for, and an example of that. */
    kinds: {
      host: ['This machine', '', 'Processors, memory, disks and network of where Spyglass runs'],
      web: ['Web page', 'Address of the page', 'https://shop.example.net/'],
      tls: ['TLS certificate', 'Host with the certificate', 'shop.example.net'],
      tcp: ['TCP port', 'Port', '5432'],
      dns: ['DNS answer', 'Name that it answers for', 'example.net'],
      snmp: ['SNMP', 'Community', 'public'],
    },
    example: (asked: string, example: string) => `${asked}, for example ${example}`,
    collector: 'Collector', isDown: (collector: string) => `${collector} (down)`, builtIn: 'Built-in collector', group: 'Group',
    properties: 'Names with values, such as location or system.categories. Groups pass theirs on.',
    nameOf: (n: number) => `Name of property ${n}`, valueOf: (n: number) => `Value of property ${n}`, takeOut: (n: number) => `Take out property ${n}`,
    name: 'name', value: 'value', addProperty: 'Add property',
    result: 'Result of the test', simulated: 'Simulated: no machine stands behind it', answers: 'It answers', silent: 'No answer', stale: 'of what was typed before',
    took: (ms: string) => `${ms} ms`, later: 'begins with the first poll', testing: 'Testing…', test: 'Test the connection',
    valueless: (check: string, asked: string) => `${asked} is missing: give it, or switch ${check} off`,
    nameless: 'Give the host name or the IP address that checks connect to',
    done: (name: string) => `${name} is added; its first data comes within a minute`, show: 'Show it',
  },
} as const
