/** The text of the data sources. */
import { number } from '../../ui/locale'

const devices = (n: number) => `${number(n)} ${n === 1 ? 'device' : 'devices'}`
const noRule = { gone: 'gone', threshold: 'no threshold' }

export const text = {
  many: 'DataSources',
  one: 'DataSource',
  refused: 'You need View access to data sources',
  pageNotLoaded: 'Could not load the data source page',
  units: { s: 's', min: 'min', h: 'h', d: 'd' },

  list: {
    search: 'Search data sources',
    searchHint: 'Name, group, tag or expression',
    edited: (n: number) => `${number(n)} with unsaved changes`,
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
    unread: 'Could not load data sources',
    again: 'Try again',
    noneLike: 'No matches',
    noneLikeGoes: 'Try another search.',
    showAll: 'Show all',
    empty: 'No data sources',
    emptyGoes: 'A data source defines what to measure on which devices. Import one from a JSON file.',
    imported: (name: string) => `Imported ${name}`,
    showIt: 'Show',
  },

  page: {
    missing: 'Data source not found',
    missingGoes: 'It was deleted.',
    unread: 'Could not load the data source',
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
    devicesIn: 'Monitored devices',
    definition: 'Definition',
    definitionIn: 'Collection settings and graphs',
    saved: (name: string) => `Saved ${name}`,
    undo: 'Undo',
    undone: (name: string) => `Restored ${name}`,
    notUndone: (why: string) => `Not undone: ${why}`,
    changedSince: 'Not undone: someone has changed it since',
  },

  appliesTo: { found: devices, more: (n: number) => `and ${number(n)} more`, call: 'matching devices' },

  points: {
    title: 'Data points',
    head: 'Data point',
    alertWhen: 'Alert when',
    noData: 'No data',
    toOpen: 'Polls to open',
    toOpenHint: 'Consecutive polls beyond the threshold',
    toClear: 'Polls to clear',
    toClearHint: 'Consecutive polls within the threshold',
    edited: 'unsaved changes',
    editedHint: 'Unsaved changes',
    never: 'never',
    none: 'No data points',
    types: { 1: 'counter', 2: 'gauge', 3: 'derive' } as Record<number, string>,
    noDataOf: (point: string) => `No data of ${point}`,
    opens: (point: string) => `Polls to open ${point}`,
    clears: (point: string) => `Polls to clear ${point}`,
    /** The effect of missing data, by alertForNoData. */
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
    /** The parts of a rule, for errors of the portal. */
    parts: {
      alertExpr: 'The threshold',
      alertForNoData: 'No data',
      alertTransitionInterval: 'Polls to open',
      alertClearTransitionInterval: 'Polls to clear',
    } as Record<string, string>,
    polls: (part: string, least: number, most: number) =>
      `${part} must be a whole number from ${number(least)} to ${number(most)}.`,
    thresholdOf: (point: string) => `Threshold of ${point}`,
    operatorOf: (point: string) => `Operator of ${point}`,
    limitOf: (severity: string, point: string) => `${severity} limit of ${point}`,
    noLimit: '–',
  },

  devices: {
    title: 'Devices',
    heads: { device: 'Device', address: 'Host or IP', instances: 'Instances', test: 'Test' },
    notPolled: 'None polled',
    testOn: (device: string) => `Test on ${device}`,
    test: 'Test',
    none: 'No devices',
    noneGoes: 'The expression matches no devices. Changes take effect within a minute.',
    count: devices,
    call: 'monitored devices',
  },

  definition: {
    check: 'Check',
    checks: (method: string, every: string) => `${method}, every ${every}`,
    attributes: 'Attributes',
    instances: 'Instances',
    byHand: 'Added manually',
    discovered: 'Discovered when the device changes',
    discoveredEvery: (every: string) => `Discovered every ${every}`,
    only: 'only',
    oneEach: 'One per device',
    group: 'Group',
    tags: 'Tags',
    notes: 'Notes',
    version: 'Version',
    graphs: 'Graphs',
    heads: { graph: 'Graph', unit: 'Unit', of: 'Of', lines: 'Lines' },
    ofOne: 'one instance',
    ofAll: 'all instances of a device',
    noUnit: '–',
    noGraphs: 'No graphs',
  },

  import: {
    title: 'Import data sources',
    means: 'Select a JSON file exported from this or another portal.',
    choose: 'Choose a file…',
    file: 'File',
    empty: (file: string) => `${file} contains no data sources.`,
    noJson: (file: string) => `${file} is not a JSON file.`,
    several: (n: number, names: string[]) =>
      `${number(n)} data sources: ${names.join(', ')}${n > names.length ? ' …' : ''}`,
    overwrite: 'overwrite data sources with the same name',
    keep: 'keep the current thresholds',
    cancel: 'Cancel',
    busy: 'Importing…',
    doOverwrite: 'Overwrite',
    do: 'Import',
  },

  trial: {
    title: 'Test on a device',
    call: 'the test',
    refused: 'You do not have access',
    device: 'Device to test on',
    cancel: 'Cancel',
    test: 'Test',
    result: 'Test result',
    type: 'Search devices',
    noSuch: 'No matches',
    onNone: 'It applies to no devices',
    more: (n: number) => `and ${number(n)} more: type to filter`,
    running: (device: string) => `Testing on ${device}…`,
    cancelled: 'Cancelled',
    instances: (shown: number, all: number) =>
      all > shown
        ? `${number(shown)} of ${number(all)} instances`
        : all === 1
          ? 'one instance'
          : `${number(all)} instances`,
    beyond: (n: number) =>
      n === 0
        ? 'all values are within their thresholds'
        : n === 1
          ? 'one value is beyond its threshold'
          : `${number(n)} values are beyond their thresholds`,
    both: (instances: string, beyond: string) => `${instances}; ${beyond}`,
    valuesOf: (instance: string) => `Values of ${instance}`,
    took: (ms: string) => `${ms} ms`,
    noData: 'no data',
    withEdits: (severity: string) => `edited: ${severity}`,
    notYet: 'Not tested yet',
    choose: 'Select a device',
    means: 'The test polls it once and compares the values with the thresholds. It saves nothing and opens no alerts.',
  },
} as const
