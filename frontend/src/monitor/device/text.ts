/** The text of the page of a device, all in one place; what is done to devices stands in fleet/text.ts. */

export const text = {
  one: 'Device',
  missing: 'There is no such device', missingGoes: 'It was deleted, or your role does not see it.', unread: 'The device could not be read', showFleet: 'Show the fleet',
  back: 'Back to the fleet',
  acked: 'Acked', inMaintenance: 'In maintenance', muted: 'alerting off',
  maintenance: 'Maintenance', more: 'More', edit: 'Edit…', alertingOn: 'Turn alerting on', alertingOff: 'Turn alerting off', discover: 'Look for instances', webPage: 'Open its web page', delete: 'Delete',
  notLookedFor: 'Not looked for', lookedFor: 'Instances are looked for',
  facts: { address: 'Host or IP', description: 'Description', groups: 'Groups', collector: 'Collector', data: 'Last data', up: 'Up for' },
  editing: {
    title: (device: string) => `Edit ${device}`, save: 'Save', saved: (device: string) => `Saved ${device}`,
    fields: { name: 'Host name or IP address', displayName: 'Name in lists', description: 'What it is for', preferredCollectorId: 'Collector', link: 'Its web page' },
    hints: { name: 'What checks connect to', link: 'Opens from the menu More' }, linkExample: 'for example https://switch.example.net/',
  },
  group: (id: number) => `Group ${id}`, ago: 'ago', never: 'never',
  about: 'About the device',
  tabs: { charts: 'Charts', alerts: 'Alerts', properties: 'Properties', history: 'History' },

  charts: {
    sources: 'Data sources', showSource: (name: string) => `Show the data source ${name}`, aboutSource: 'Its thresholds, and how it collects', notPolled: 'not polled',
    range: 'Time range',
    /** On a button, and in a sentence. */
    ranges: { '1h': ['1 h', 'hour'], '6h': ['6 h', '6 hours'], '24h': ['24 h', 'day'], '7d': ['7 d', '7 days'], '30d': ['30 d', '30 days'] },
    last: (range: string) => `Last ${range}`, earlier: 'Earlier', later: 'Later', resetZoom: 'Reset zoom',
    compare: (range: string) => `Compare with the ${range} before`, before: 'before', beforeOf: (name: string) => `${name}, before`,
    line: (graph: string, line: string) => `${graph}: ${line}`,
    with: {
      open: 'Compare with…', end: 'Compare with none', title: 'Compared with', add: 'Compare with another', type: 'Add another…', takeOut: (name: string) => `Take out ${name}`,
      part: (device: string, instance: string) => `${device} ${instance}`, here: (instance: string) => `${instance}, of this device`, instanceOf: (device: string) => `Instance of ${device}`,
      device: (id: number) => `Device ${id}`, instance: (id: number) => `Instance ${id}`, gone: 'is no longer there', lacks: (source: string) => `has no ${source}`, dead: 'not answering',
      none: (source: string) => `Nothing else has ${source}`, noSuch: (source: string) => `Nothing of that name has ${source}`, more: (n: number) => `${n} more: type a part of the name`, full: (n: number) => `${n} are the most in one chart`,
      some: (n: number, of: number) => `${n} of ${of}`, someHave: (n: number, of: number) => `${n} of the ${of} that are compared have it`,
    },
    thresholds: 'Thresholds', asTable: 'As a table',
    pollFailed: (why: string) => `The last poll failed: ${why}`, discoveryFailed: (why: string) => `The last discovery failed: ${why}`,
    noThresholds: 'Thresholds could not be read.', noMaintenance: 'Maintenance could not be read.',
    unread: 'What is measured here could not be read', again: 'Try again',
    nothing: 'Nothing is measured here yet', nothingGoes: 'Data sources apply to a device by their expressions; that is looked at within a minute after it was added.',
    noInstances: 'No instances were found', noInstancesGoes: (source: string) => `${source} has found nothing on this device so far.`,
    noGraphs: 'No graphs', noGraphsGoes: (source: string) => `${source} defines none.`,
    keys: 'Drag to look closer; arrow keys move the cursor over all charts, + looks closer, − farther, 0 goes back.',
    notDrawn: 'The part that draws could not be loaded. Reload the page.', far: 'Too far from the values to be drawn', noData: 'No data in this time.', noneYet: 'No data yet: the first comes with the next poll.', filling: 'The past of the demo is being filled. It is drawn here in a moment.', lastPoint: 'the last point',
    readout: (moment: string, values: string[]) => `${moment}: ${values.join(', ')}`,
  },

  alerts: {
    title: 'Alerts of the device', which: 'Which alerts', call: 'alerts of the device', sets: { active: 'Active', past: 'Past', all: 'All' },
    heads: { severity: 'Severity', value: 'Value', threshold: 'Threshold', start: 'Opened', lasted: 'Lasted', acked: 'Acknowledged' },
    unread: 'Alerts could not be read', noData: 'no data', cleared: 'cleared', ack: 'Ack',
    noneActive: 'No active alerts', noneBeyond: 'Nothing on this device is beyond a threshold.', none: 'No alerts', noneKept: 'None are recorded for this device.',
  },

  properties: {
    title: 'Properties', search: 'Search properties', call: 'properties', add: 'Add property', unread: 'The properties could not be read', again: 'Try again',
    newName: 'Name of the new property', newValue: 'Value of the new property', name: 'name', value: 'value', put: 'Add', cancel: 'Cancel', save: 'Save',
    heads: { name: 'Name', value: 'Value', from: 'From', actions: 'Actions' },
    valueOf: (name: string) => `Value of ${name}`, newSecret: 'a new value', secret: 'Secret: it can be replaced, never read', secretFlag: 'Secret', secretGoes: 'Hides the value from everyone. It can be replaced, never read.',
    hides: (n: number) => `hides ${n === 1 ? 'one' : n} of a group`, hidden: (group: string, value: string) => `${group || 'All devices'}: ${value}`,
    change: 'Change', changeOne: (name: string) => `Change ${name}`, remove: 'Remove', removeOne: (name: string) => `Remove ${name}`,
    notSaved: 'Not saved', notRemoved: 'Not removed', notPutBack: 'Not put back', removed: (name: string) => `${name} is removed`, undo: 'Undo',
    noneLike: (words: string) => `No property reads like “${words}”.`, none: 'It has no properties.',
    origins: { own: 'this device', group: (path: string) => `group ${path || 'All devices'}`, checks: 'found by checks', portal: 'Spyglass' },
  },

  history: {
    maintenance: 'Maintenance', maintenanceCall: 'maintenance', plan: 'Plan maintenance', now: 'Now', planned: 'Planned', past: 'Past', over: 'Over',
    nameless: 'Maintenance', by: (who: string) => ` · by ${who}`, lasted: (from: string, span: string) => `${from} · ${span}`,
    end: 'End', takeBack: 'Take back', endOne: (name: string) => `End ${name || 'maintenance'}`, takeBackOne: (name: string) => `Take back ${name || 'maintenance'}`, notEnded: 'Not ended',
    none: 'No maintenance', noneGoes: 'None is planned or recorded. Plan it before work on the device, and nobody is told of its alerts meanwhile.',
    of: { device: 'this device', group: (path: string) => `group ${path || 'All devices'}`, part: 'a part of it' },
    at: (time: string, span: string, zone: string) => `${time} for ${span}, ${zone || "the portal's time"}`,
    daily: (at: string) => `every day, ${at}`, weekly: (days: string, at: string) => `every ${days}, ${at}`,
    monthly: (day: number, at: string) => `every month on day ${day}, ${at}`, monthlyByWeek: (week: string, days: string, at: string) => `${week} ${days} of each month, ${at}`,
    once: (from: string, to: string) => `${from} – ${to}`,
    changes: 'Changes', changesCall: 'changes', noRight: 'Your role may not read the audit log.', unchanged: 'Nobody has changed it', unchangedGoes: 'What people do to this device is listed here.',
  },
} as const
