/** The text of the reports, all in one place: what a translator needs of this screen. A report's fields and columns are called here by their names in the API. */
import { number } from '../../ui/locale'

const rows = (n: number) => `${number(n)} ${n === 1 ? 'row' : 'rows'}`
const pages = (n: number) => `${number(n)} ${n === 1 ? 'page' : 'pages'}`

export const text = {
  one: 'report', many: 'Reports', empty: 'A report is made when you ask, or by a schedule, and can go out by mail.',
  columns: { name: 'Report', type: 'About', period: 'Period', format: 'Format', schedule: 'Schedule', next: 'Next run', last: 'Last run' },
  groups: { about: '1. What it is about', which: '2. Which, and of what time', format: '3. Format', when: '4. When', mail: '5. By mail', sees: 'Who sees it' },
  fields: { type: 'Type', name: 'Name', description: 'What it is for', dateRange: 'Period', groupFullPath: 'Device groups', deviceDisplayName: 'Devices', level: 'Severity', ackFilter: 'Acknowledged', sdtFilter: 'In maintenance', activeOnly: 'Only those still active', includePreexist: 'Also those that began before', summaryOnly: 'Only the counts', hostsValType: 'Chosen by', hostsVal: 'Which', properties: 'Properties', metrics: 'Measurements', top10Only: 'Only the ten highest of each', alertLevel: 'Down from', excludeSDT: 'Leave maintenance out', unmonitoredTime: 'Time nothing was measured', excludeGlobal: 'Only those that differ', username: 'Who', filter: 'Words in what happened', format: 'Format', schedule: 'Schedule', scheduleTimezone: 'Time zone', delivery: 'Scheduled runs go out by mail', recipients: 'To', groupId: 'Report group' },
  hints: { name: 'The title of the report', groupFullPath: 'Full paths, * for any characters, joined by commas', deviceDisplayName: 'Names, * for any characters, joined by commas', includePreexist: 'And were still active in the period', hostsVal: 'Names of devices or full paths of groups, * for any characters, joined by commas', properties: 'A column each', alertLevel: 'An alert of that severity makes a device count as down', excludeGlobal: 'From the thresholds of the datasource', username: 'User names, * for any characters', format: 'A page opens here; the others are saved', scheduleTimezone: "Empty: the portal's", groupId: 'Roles may hold rights on groups' },
  examples: { properties: 'for example location', scheduleTimezone: 'for example Europe/Berlin' },
  words: { level: { all: 'All', 'error,critical': 'Error and critical', critical: 'Critical' }, ackFilter: { all: 'All', acked: 'Acked', nonacked: 'Not acked' }, sdtFilter: { all: 'All', sdt: 'Only', nonsdt: 'Without' }, hostsValType: { host: 'Device', group: 'Group' }, alertLevel: { warn: 'Warning', error: 'Error', critical: 'Critical' }, unmonitoredTime: { 0: 'Down', 1: 'Left out', 2: 'Up' }, format: { HTML: 'Page', PDF: 'PDF', XLSX: 'Excel', CSV: 'CSV' }, delivery: { none: 'No', email: 'Yes' } },
  noneOf: 'None', asNow: 'as it is now', onlyAsked: 'Only when asked', notPlanned: '–', never: 'never',
  facts: { type: 'About', period: 'Period', format: 'Format', schedule: 'Schedule', next: 'Next run', zone: 'Time zone', mail: 'By mail' },
  zoned: (schedule: string, zone: string) => `${schedule}, ${zone}`, portalZone: "the portal's",
  to: (n: number) => `to ${number(n)} ${n === 1 ? 'recipient' : 'recipients'}`,
  locked: 'Your role may look at this report, but not change it.',
  goes: (runs: number) => (runs ? `Its ${runs === 1 ? 'kept run goes' : `${number(runs)} kept runs go`} with it. This cannot be undone.` : 'This cannot be undone.'),

  /** What a report can be about: its name, and what it holds. */
  types: {
    Alert: ['Alerts', 'Each alert of a period: when, where, how bad, who took it on'],
    'Alert trends': ['Alert trends', 'How many alerts a day, by group and datasource'],
    'Alert SLA': ['Availability', 'How long each device was up, its outages and the longest'],
    'Host metric trends': ['Measurements', 'Lowest, mean and highest of what was measured, drawn'],
    'Host inventory': ['Inventory', 'Devices with their groups, state and properties'],
    'Alert threshold': ['Thresholds', 'Which thresholds hold where, and who set them apart'],
    User: ['Users', 'Who can sign in, with which roles, and when they last did'],
    Role: ['Roles', 'What each role may do'],
    'Audit Log': ['Audit log', 'Who changed what in a period'],
  },

  /** Periods, by what the portal calls them. */
  ranges: {
    'Last 24 hours': 'Last 24 hours', Today: 'Today so far', Yesterday: 'Yesterday', 'Last 7 days': 'Last 7 days', 'Last calendar week': 'Last calendar week', 'Last 30 days': 'Last 30 days',
    'Month to date': 'This month so far', 'Last calendar month': 'Last calendar month', 'Any time': 'Any time',
  },
  range: { days: 'From a day to another…', from: 'From', toEnd: 'to the end of', to: 'To', both: (from: string, to: string) => `${from} to ${to}` },

  metrics: {
    source: 'DataSource', sourceOf: (n: number, list: string) => `DataSource ${n} of ${list}`, pointOf: (n: number, list: string) => `Datapoint ${n} of ${list}`, all: 'all datapoints',
    takeOut: (n: number) => `Take out measurement ${n}`, add: 'Add measurement',
  },

  schedule: {
    rhythms: { never: 'Only when asked', daily: 'Every day', weekdays: 'Monday to Friday', weekly: 'Once a week', monthly: 'Once a month', own: 'By a cron line' },
    weekday: 'Day of the week', day: 'day', monthDay: 'Day of the month', dayIs: (last: number) => `The day of the month is a whole number from 1 to ${last}.`, cron: 'Cron line', cronExample: 'for example 0 7 * * 1', at: 'At', next: 'Next runs', machine: "the machine's time", zone: (zone: string) => ` · ${zone}`,
    weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
    months: ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'],
    ordinal: (n: number) => `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`,
    daily: (time: string) => `Every day at ${time}`, workdays: (time: string) => `Monday to Friday at ${time}`, weekly: (weekday: string, time: string) => `${weekday}s at ${time}`, monthly: (day: string, time: string) => `On the ${day} of each month at ${time}`,
    /** The parts of a line of one's own, put together with spaces. */
    parts: {
      times: (times: string[]) => `At ${times.join(' and ')}`, everyMinute: 'Every minute', minutes: (minutes: string) => `At minute ${minutes}`, everyMinutes: (n: string) => `Every ${n} minutes`,
      hours: (hours: string) => `in the hours ${hours}`, everyHours: (n: string) => `of every ${n} hours`,
      days: (days: string) => `on the ${days}`, everyDays: (n: string) => `every ${n} days`, weekdays: (days: string) => `on ${days}`, either: (day: string, weekday: string) => `${day} or ${weekday}`,
      months: (months: string) => `in ${months}`, everyMonths: (n: string) => `every ${n} months`,
      range: (from: string, to: string) => `${from} to ${to}`, list: (all: string[]) => (all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all[0]),
    },
  },

  runs: {
    title: 'Runs', now: 'Run now', none: 'It was not made yet. The newest 20 runs are kept.', locked: 'Your role may look at this report, but not run it.',
    notMade: (report: string, why: string) => `${report} was not made: ${why}`, made: (report: string) => `${report} is made`, open: 'Open', save: 'Save', notRun: (why: string) => `Not run: ${why}`,
    gone: 'The run and its file are gone', cancelled: 'Cancelled', cancel: 'Cancel', scheduled: 'by its schedule', by: (who: string) => `by ${who}`, percent: (n: number) => `${n} percent done`,
    saveOne: (format: string, moment: string) => `Save the ${format} of ${moment}`, remove: 'Remove', removeOne: (moment: string) => `Remove the run of ${moment}`,
    aMoment: 'under a second', waits: 'Waits for its turn', running: (percent: number, n: number) => `${percent} % · ${rows(n)} so far`, done: (n: number, paged: number, size: string, span: string) => [rows(n), ...(paged ? [pages(paged)] : []), size, `in ${span}`].join(' · '),
  },

  page: {
    report: 'Report', all: 'All reports', made: (moment: string, n: number, zone: string) => `made ${moment} · ${rows(n)} · times in ${zone}`, portalZone: "the portal's time zone", print: 'Print…', save: 'Save',
    notShown: 'This run cannot be shown', back: 'Back to the reports', frame: (report: string) => `The report ${report}`,
  },
} as const
