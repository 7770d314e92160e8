/** The text of the data sources, all in one place: what a translator needs of this screen. */
import { number } from '../../ui/locale'

const devices = (n: number) => `${number(n)} ${n === 1 ? 'device' : 'devices'}`
const noRule = { gone: 'gone', threshold: 'no threshold' }

export const text = {
  many: 'DataSources',
  one: 'DataSource',
  refused: 'Data sources are not shown to your role',
  pageNotLoaded: 'The page of the data source could not be loaded',
  units: { s: 's', min: 'min', h: 'h', d: 'd' },

  list: {
    search: 'Search data sources',
    searchHint: 'Name, group, tag or expression',
    edited: (n: number) => `${number(n)} edited, not saved`,
    exportAll: 'Export all',
    import: 'Import…',
    heads: {
      displayName: 'DataSource',
      name: 'Name',
      group: 'Group',
      appliesTo: 'Applies to',
      method: 'Check',
      interval: 'Every',
      hosts: 'Devices',
    },
    nothing: 'nothing',
    none: '–',
    unread: 'The data sources could not be read',
    again: 'Try again',
    noneLike: 'Nothing like that',
    noneLikeGoes: 'No data source has what you look for.',
    showAll: 'Show all',
    empty: 'No data sources',
    emptyGoes: 'A data source says what is measured on which devices. They come in as JSON files.',
    imported: (name: string) => `${name} is imported`,
    showIt: 'Show it',
  },

  page: {
    missing: 'There is no such data source',
    missingGoes: 'It was deleted.',
    unread: 'The data source could not be read',
    showAll: 'Show all data sources',
    back: 'Back to the data sources',
    backHint: 'Back to the data sources (Esc)',
    alerts: (n: number) => (n ? `${number(n)} active ${n === 1 ? 'alert' : 'alerts'}` : 'No alerts'),
    export: 'Export',
    appliesTo: 'Applies to',
    interval: 'Collect every',
    seconds: 'seconds',
    save: 'Save',
    points: 'Data points and thresholds',
    devices: 'Devices',
    devicesIn: 'Devices it is on',
    definition: 'Definition',
    definitionIn: 'How it collects, and its graphs',
    saved: (name: string) => `${name} is saved`,
    undo: 'Undo',
    undone: (name: string) => `${name} is as it was before`,
    notUndone: (why: string) => `Not undone: ${why}`,
    changedSince: 'Not undone: somebody has changed it since',
  },

  appliesTo: { found: devices, more: (n: number) => `and ${number(n)} more`, call: 'devices it applies to' },

  points: {
    title: 'Data points',
    head: 'Data point',
    alertWhen: 'Alert when',
    noData: 'No data',
    toOpen: 'Polls to open',
    toOpenHint: 'Polls in a row beyond the limit',
    toClear: 'Polls to clear',
    toClearHint: 'Polls in a row within the limit',
    edited: 'edited, not saved',
    editedHint: 'Edited, not saved',
    never: 'never',
    none: 'It has no data points.',
    types: { 1: 'counter', 2: 'gauge', 3: 'derive' } as Record<number, string>,
    noDataOf: (point: string) => `No data of ${point}`,
    opens: (point: string) => `${point} opens after, polls`,
    clears: (point: string) => `${point} clears after, polls`,
    /** What no data is, by alertForNoData. */
    noDataIs: { 1: 'no alert', 2: 'Warning', 3: 'Error', 4: 'Critical' } as Record<number, string>,
    rule: (r: { threshold: string; noData: string; opens: number; clears: number } | undefined) =>
      r
        ? [
            r.threshold || noRule.threshold,
            `no data: ${r.noData}`,
            `opens after ${number(r.opens)}`,
            `clears after ${number(r.clears)}`,
          ].join(', ')
        : noRule.gone,
    /** The parts of a rule, where the portal refuses one. */
    parts: {
      alertExpr: 'The threshold',
      alertForNoData: 'No data',
      alertTransitionInterval: 'Polls to open',
      alertClearTransitionInterval: 'Polls to clear',
    } as Record<string, string>,
    polls: (part: string, least: number, most: number) =>
      `${part} is a whole number from ${number(least)} to ${number(most)}.`,
    thresholdOf: (point: string) => `Threshold of ${point}`,
    operatorOf: (point: string) => `Operator of ${point}`,
    limitOf: (severity: string, point: string) => `${severity} limit of ${point}`,
    noLimit: '–',
  },

  devices: {
    title: 'Devices',
    heads: { device: 'Device', address: 'Host or IP', instances: 'Instances', test: 'Test' },
    notPolled: 'None is polled',
    testOn: (device: string) => `Test on ${device}`,
    test: 'Test',
    none: 'On no device',
    noneGoes: 'No device is what the expression asks for; a change is looked at within a minute.',
    count: devices,
    call: 'devices it is on',
  },

  definition: {
    check: 'Check',
    checks: (method: string, every: string) => `${method}, every ${every}`,
    attributes: 'Attributes',
    instances: 'Instances',
    byHand: 'Added by hand',
    looked: 'Looked for when the device changes',
    lookedEvery: (every: string) => `Looked for every ${every}`,
    only: 'only',
    oneEach: 'One on each device',
    group: 'Group',
    tags: 'Tags',
    notes: 'Notes',
    version: 'Version',
    graphs: 'Graphs',
    heads: { graph: 'Graph', unit: 'Unit', of: 'Of', lines: 'Lines' },
    ofOne: 'one instance',
    ofAll: 'all instances of a device',
    noUnit: '–',
    noGraphs: 'It defines no graphs.',
  },

  import: {
    title: 'Import data sources',
    means: 'A JSON file that Export wrote, here or on another portal.',
    choose: 'Choose a file…',
    file: 'File',
    empty: (file: string) => `${file} has no data source in it.`,
    noJson: (file: string) => `${file} is no JSON file.`,
    several: (n: number, names: string[]) =>
      `${number(n)} data sources: ${names.join(', ')}${n > names.length ? ' …' : ''}`,
    overwrite: 'overwrite what has the same name',
    keep: 'but keep the thresholds it has here',
    cancel: 'Cancel',
    busy: 'Importing…',
    doOverwrite: 'Overwrite',
    do: 'Import',
  },

  trial: {
    title: 'Test on a device',
    call: 'the test',
    refused: 'Not for your role',
    device: 'Device to test on',
    cancel: 'Cancel',
    test: 'Test',
    result: 'Result of the test',
    type: 'Type a part of its name',
    noSuch: 'It applies to no such device',
    onNone: 'It applies to no device',
    more: (n: number) => `and ${number(n)} more: type to narrow them down`,
    running: (device: string) => `Measuring on ${device} …`,
    cancelled: 'Cancelled: nothing was measured.',
    instances: (shown: number, all: number) =>
      all > shown
        ? `${number(shown)} of ${number(all)} instances`
        : all === 1
          ? 'one instance'
          : `${number(all)} instances`,
    beyond: (n: number) =>
      n === 0
        ? 'nothing is beyond a threshold'
        : n === 1
          ? 'one value is beyond its threshold'
          : `${number(n)} values are beyond their thresholds`,
    both: (instances: string, beyond: string) => `${instances}; ${beyond}`,
    valuesOf: (instance: string) => `Values of ${instance}`,
    took: (ms: string) => `${ms} ms`,
    noData: 'no data',
    withEdits: (severity: string) => `with your edits ${severity}`,
    notYet: 'Not tested yet',
    choose: 'Choose a device',
    means: 'It is measured once there, and shown against the thresholds. Nothing is kept, and no alert opens.',
  },
} as const
