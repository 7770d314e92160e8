/** The text of the alerts, all in one place: what a translator needs of this screen. */
import { number } from '../../ui/locale'
import type { Act } from './acting'

const lengths: Record<number, string> = { 30: '30 minutes', 60: '1 hour', 240: '4 hours', 1440: '1 day', 10_080: '1 week' }
const did: Record<Act, string> = { ack: 'Acknowledged', note: 'Noted at', escalate: 'Escalated', sdt: 'Downtime for' }

export const text = {
  title: 'Alerts',
  one: 'Alert',
  search: 'Search alerts',
  searchHint: 'Device, source, data point',
  severity: 'Severity',
  all: 'All',
  notAcked: 'Not acked',
  acked: 'Acked',
  inDowntime: 'In downtime',
  oneGroup: 'One group',
  since: (moment: string) => `Since ${moment}`,
  withCleared: 'With cleared',
  actions: 'Actions',
  acts: { ack: 'Ack', note: 'Note', escalate: 'Escalate', sdt: 'Downtime' } satisfies Record<Act, string>,
  picked: (n: number) => `${number(n)} picked`,
  pickNone: 'Pick none',
  lookedAt: (device: string) => `of ${device}, the one that is looked at`,
  choose: 'Choose an alert; Space picks several',
  columns: { severity: 'Severity', device: 'Device', source: 'DataSource › datapoint', value: 'Value against threshold', age: 'Age', ack: 'Acknowledged' },

  unknown: 'The alerts are not known',
  again: 'Try again',
  noneLike: 'No alert is like that',
  fewer: 'Fewer conditions may find some.',
  showAll: 'Show all active alerts',
  fine: 'Nothing is wrong',
  noneActive: 'No alert is active.',
  looking: 'Still looking',
  firstPolls: (n: number) => (n === 1 ? 'One new device has not been polled yet.' : `${number(n)} new devices have not been polled yet.`),
  noneButSilent: 'No alert is active',
  silent: (n: number) => (n === 1 ? 'But one device does not answer.' : `But ${number(n)} devices do not answer.`),
  unwatched: 'Nothing is watched yet',
  watch: 'Add a host, an appliance or a service; what goes wrong with it shows up here.',
  addDevice: 'Add device',

  cleared: 'Cleared',
  called: (severity: string, device: string, datapoint: string) => `${severity} ${device} ${datapoint || 'collector down'}`,
  collectorSilent: 'The collector does not answer',
  behind: (n: number) => `${number(n)} behind it silent`,
  noData: 'no data',
  sdt: 'SDT',
  sdtMeans: 'Maintenance covers it: nobody is told',
  ackedBy: (who: string) => `Acknowledged by ${who}`,
  ackOne: (alert: string) => `Ack ${alert}`,

  details: {
    call: 'this alert', close: 'Close', closeAlert: 'Close the alert',
    beyond: (datapoint: string, value: string, threshold: string) => `${datapoint} is ${value}, beyond ${threshold}`,
    device: 'Device', groups: 'Groups', allDevices: 'All devices', source: 'DataSource', datapoint: 'Datapoint', none: '–',
    onlyOf: (source: string) => `Only alerts of ${source}`, showSource: (source: string) => `Show the data source ${source}`, aboutSource: 'Its thresholds, and how it collects',
    opened: 'Opened', ago: (span: string) => `${span} ago`, cleared: 'Cleared', after: (span: string) => `after ${span}`,
    acknowledged: 'Acknowledged', nobodyYet: 'by nobody yet',
    behind: 'Behind it', more: (n: number) => ` and ${number(n)} more`, silentToo: (n: number) => (n === 1 ? 'does not answer either' : 'do not answer either'),
    downtime: 'Downtime', until: (moment: string) => `until ${moment}`,
    told: 'Told', nobody: 'nobody', stage: (chain: string, stage: number) => `${chain}, stage ${stage}`,
    chart: 'The last 6 hours', chartCall: 'the chart', history: 'History', writeNote: 'Write a note',
    gone: 'This alert is gone', unread: 'The alert could not be read',
  },

  chart: {
    of: (device: string, hours: number) => `${device}, the last ${hours} hours`,
    none: 'No chart', filling: 'The past is being filled', fillingGoes: 'The demo makes a week of samples for each device; they are drawn here in a moment.', nothing: 'Nothing was measured', noSamples: (hours: number) => `There are no samples of the last ${hours} hours.`,
  },

  act: {
    does: { ack: 'Acknowledge', note: 'Write the note', escalate: 'Escalate', sdt: 'Schedule downtime' } satisfies Record<Act, string>,
    titles: { ack: 'Acknowledge', note: 'Write a note to', escalate: 'Escalate', sdt: 'Schedule downtime for' } satisfies Record<Act, string>,
    several: (n: number) => `${number(n)} alerts`,
    failed: (title: string, alert: string) => `${title} ${alert} failed`,
    done: (what: Act, of: string) => `${did[what]} ${of}`,
    devices: (n: number) => `${number(n)} devices`,
    undo: 'Undo', downtimeStays: 'The downtime stays',
    takenBack: (n: number) => (n === 1 ? 'The downtime is taken back' : `${number(n)} downtimes are taken back`),
    ackedAlready: 'Acknowledged already, or cleared', nothingTo: (title: string) => `Nothing here to ${title.toLowerCase()}`,
    sdtMeans: 'Nobody is told of alerts during maintenance. They still open and clear.',
    ackMeans: 'Others see that you have taken it on, and escalation stops.',
    for: 'For', length: (minutes: number) => lengths[minutes], of: 'Of', wholeDevice: 'the whole device', onlyThis: 'only what alerts now',
    why: 'Why (optional)', known: 'What you know of it', note: 'Note', cancel: 'Cancel', key: 'Ctrl ⏎',
  },
} as const
