import { expect, test } from 'vitest'
import type { Series } from '../../client/table'
import { dayMonth, time } from '../../ui/locale'
import { Chart } from './chart.svelte'
import { isFetched, lookUpFetched, lookUpFetchedLimits, lookUpFetchedMaintenance, namesOf } from '../../chart/fetched'
import { applies, findPlace, limitsOf, lookUpLimits, lookUpMeasured, placeOf, remembering } from '../../chart/limits'
import { lookUpMaintenance } from '../../chart/maintenance'
import { freeSpot, tracesOf } from '../../chart/labels'
import {
  freeRow,
  isNear,
  linesOf,
  shown,
  shownAtFirst,
  spanOf,
  stacked,
  summary,
  tick,
  timeTicks,
} from '../../chart/lines'

const line = (name: string, min: number | null, max: number | null, gaps = 0) => ({
  name,
  values: [min, max],
  min,
  max,
  last: max,
  count: min === null ? 0 : 2,
  gaps,
})
const series = (...lines: ReturnType<typeof line>[]): Series => ({
  title: 'Linux',
  unit: '%',
  sets: [{ name: '', time: [1, 2], lines }],
  thin: false,
  more: 0,
})

test('limits are parsed from an alert expression', () => {
  expect(limitsOf('cpu', '> 60 80 90')).toEqual([
    { point: 'cpu', op: '>', value: 60, severity: 'warn' },
    { point: 'cpu', op: '>', value: 80, severity: 'error' },
    { point: 'cpu', op: '>', value: 90, severity: 'crit' },
  ])
  expect(limitsOf('status', '< 1 1 1')).toEqual([{ point: 'status', op: '<', value: 1, severity: 'crit' }])
  expect(limitsOf('free', '<= 1.5e3')).toEqual([{ point: 'free', op: '<=', value: 1500, severity: 'warn' }])
  expect(['', '= 1', '!= 2', '> x', '> 1 2 x', 'avg > 3'].flatMap((e) => limitsOf('a', e))).toEqual([])
})

test('the path of the data identifies its instance', () => {
  expect(
    placeOf('http://127.0.0.1:8443/api/device/devices/10/devicedatasources/29/instances/71/data?period=1'),
  ).toEqual({ device: '10', source: '29', instance: '71' })
  expect(placeOf('/device/devices/10/devicedatasources/29/instances/71/graphs/9009/data')).toEqual({
    device: '10',
    source: '29',
    instance: '71',
    graph: '9009',
  })
  expect(placeOf('/device/devices/10/devicedatasources/29/groups/0/graphs/9010/data?start=1')).toEqual({
    device: '10',
    source: '29',
    graph: '9010',
  })
  expect(placeOf('/device/devices/10/devicedatasources/29/data?size=9')).toEqual({ device: '10', source: '29' })
  expect(placeOf('/device/devices/10/devicedatasources/29/instances/71/alertsettings')).toBe(undefined)
})

test('lines of similar size are shown first, starting with one that has a limit', () => {
  const lines = linesOf(
    series(
      line('total', 134e6, 134e6),
      line('load', 0.5, 0.6),
      line('cpu', 9, 17),
      line('idle', 80, 90),
      line('none', null, null),
    ),
  )
  expect(shownAtFirst(lines, new Set(['cpu'])).map((k) => k.trim())).toEqual(['cpu', 'idle'])
  expect(shownAtFirst(lines, new Set()).map((k) => k.trim())).toEqual(['load'])
})

test('a chart has a one-sentence description', () => {
  expect(summary('Linux', linesOf(series(line('cpu', 9, 17, 1), line('none', null, null))), '%')).toBe(
    'Linux. cpu: lowest 9 %, highest 17 %, last 17 %, 1 gap; none: no data',
  )
})

test('a time axis labels the day once', () => {
  const at = Date.UTC(2026, 10, 20, 12)
  const labels = timeTicks([at, at + 3_600_000], 3_600_000)
  expect(labels[0]).toBe(`${time(at)}\n${dayMonth(at)}`)
  expect(labels[1]).toBe(time(at + 3_600_000))
})

const planned = (of: object) => ({
  sdtType: 'oneTime',
  startDateTime: 0,
  endDateTime: 0,
  comment: '',
  deviceGroupId: 0,
  dataSourceId: 0,
  deviceDataSourceId: 0,
  dataSourceInstanceId: 0,
  deviceDataSourceInstanceGroupId: 0,
  ...of,
})
const gone = (comment: string) => ({ approximateStartEpoch: 1, approximateEndEpoch: 2, comment })
const { signal } = new AbortController()

/**
 * Fakes a portal that returns the given data. Repeated maintenance has windows from 1000 to 2000 and from 8000 to 9000.
 */
function portal(answers: Record<string, unknown>) {
  type Planned = ReturnType<typeof planned>
  return {
    lookup: async <T>(path: string) => answers[path] as T,
    windows: async (from: number, to: number, all: object[]) =>
      (all as Planned[])
        .flatMap((s, of) =>
          s.sdtType === 'oneTime'
            ? [{ of, from: s.startDateTime, to: s.endDateTime }]
            : [
                { of, from: 1000, to: 2000 },
                { of, from: 8000, to: 9000 },
              ],
        )
        .filter((w) => w.from < to && w.to > from),
  }
}

test('maintenance includes the instance, its group, data source, device and groups, each window once', async () => {
  const door = portal({
    '/device/devices/10/sdts': {
      items: [
        planned({ type: 'ResourceSDT', startDateTime: 1500, endDateTime: 2500, comment: 'device' }),
        planned({ type: 'ResourceGroupSDT', deviceGroupId: 8, sdtType: 'weekly', comment: 'every week' }),
        planned({
          type: 'ResourceGroupSDT',
          deviceGroupId: 9,
          dataSourceId: 4,
          startDateTime: 3000,
          endDateTime: 4000,
          comment: 'other source',
        }),
        planned({
          type: 'ResourceGroupSDT',
          deviceGroupId: 1,
          dataSourceId: 5,
          startDateTime: 3000,
          endDateTime: 4000,
          comment: 'this source',
        }),
        planned({
          type: 'DeviceDataSourceSDT',
          deviceDataSourceId: 30,
          startDateTime: 3000,
          endDateTime: 4000,
          comment: 'another part',
        }),
        planned({
          type: 'DeviceDataSourceInstanceSDT',
          dataSourceInstanceId: 71,
          startDateTime: 5000,
          endDateTime: 6000,
          comment: 'instance',
        }),
        planned({
          type: 'DeviceDataSourceInstanceGroupSDT',
          deviceDataSourceInstanceGroupId: 3,
          sdtType: 'daily',
          comment: 'group',
        }),
        planned({
          type: 'DeviceDataSourceInstanceGroupSDT',
          deviceDataSourceInstanceGroupId: 4,
          sdtType: 'daily',
          comment: 'other group',
        }),
      ],
    },
    '/device/devices/10/devicedatasources/29': { dataSourceId: 5 },
    '/device/devices/10/devicedatasources/29/instances/71': { groupId: 3 },
    '/device/devices/10/historysdts': { items: [gone('device')] },
    '/device/devices/10/devicedatasources/29/historysdts': { items: [] },
    '/device/devices/10/devicedatasources/29/instances/71/historysdts': { items: [gone('before')] },
    '/device/groups/8/historysdts': { items: [gone('every week')] },
    '/device/groups/1/historysdts': { items: [] },
  })
  const found = await lookUpMaintenance(
    door,
    { device: '10', source: '29', instance: '71' },
    { from: 0, to: 8500 },
    signal,
    8200,
  )
  expect(found.map((w) => `${w.comment} ${w.from} ${w.to}`)).toEqual([
    'device 1500 2500',
    'before 1000 2000',
    'every week 8000 9000',
    'this source 3000 4000',
    'instance 5000 6000',
    'group 1000 2000',
    'group 8000 9000',
    'every week 1000 2000',
  ])
})

test('several instances show the maintenance of all, and their own thresholds', async () => {
  const setting = (dataSourceInstanceId: number, dataPointName: string, effectiveAlertExpr: string) => ({
    dataSourceInstanceId,
    dataPointName,
    effectiveAlertExpr,
  })
  const door = portal({
    '/device/devices/10/sdts': {
      items: [
        planned({
          type: 'DeviceDataSourceInstanceSDT',
          dataSourceInstanceId: 71,
          startDateTime: 5000,
          endDateTime: 6000,
          comment: 'instance',
        }),
        planned({
          type: 'DeviceDataSourceSDT',
          deviceDataSourceId: 29,
          startDateTime: 3000,
          endDateTime: 4000,
          comment: 'all',
        }),
        planned({
          type: 'DeviceDataSourceInstanceGroupSDT',
          deviceDataSourceInstanceGroupId: 3,
          startDateTime: 6000,
          endDateTime: 7000,
          comment: 'group',
        }),
        planned({
          type: 'DeviceDataSourceInstanceSDT',
          dataSourceInstanceId: 99,
          startDateTime: 5000,
          endDateTime: 6000,
          comment: 'of another data source',
        }),
      ],
    },
    '/device/devices/10/historysdts': { items: [] },
    '/device/devices/10/devicedatasources/29/historysdts': { items: [] },
    '/device/devices/10/devicedatasources/29/instances': {
      items: [
        { id: 71, name: 'eth0', displayName: 'first', groupId: 0 },
        { id: 72, name: 'eth1', displayName: 'second', groupId: 3 },
      ],
    },
    '/device/devices/10/alertsettings': {
      items: [
        setting(71, 'in', '> 80'),
        setting(72, 'in', '> 80'),
        setting(71, 'out', '> 50'),
        setting(72, 'out', '> 60'),
        setting(99, 'in', '> 1'),
      ],
    },
  })
  const all = { device: '10', source: '29' }
  expect(
    (await lookUpMaintenance(door, all, { from: 0, to: 9000 }, signal, 9000)).map((w) => [w.comment, w.of]),
  ).toEqual([
    ['instance', 'first'],
    ['all', undefined],
    ['group', 'second'],
  ])
  const limits = await lookUpLimits(door, all, signal)
  expect(limits).toEqual([
    { point: 'in', op: '>', value: 80, severity: 'warn' },
    { point: 'out', op: '>', value: 50, severity: 'warn', of: 'eth0' },
    { point: 'out', op: '>', value: 60, severity: 'warn', of: 'eth1' },
  ])
  const line = (point: string, instance: string) => ({ point, instance })
  expect(
    limits.map(
      (l) => [line('in', 'eth1'), line('out', 'eth1'), line('out', 'eth0')].filter((d) => applies(l, d)).length,
    ),
  ).toEqual([1, 1, 1])
})

test('a graph requested by instance id alone is placed by its response', async () => {
  const door = portal({
    '/device/devicedatasourceinstances/71/graphs/5001/data': { scopes: [{ type: 'device', deviceId: 10 }] },
    '/device/devices/10/instances': { items: [{ deviceDataSourceId: 29 }] },
    '/device/devicedatasourceinstances/72/graphs/5001/data': { scopes: [] },
  })
  const found = (path: string) => findPlace(door, `http://127.0.0.1:8443/api${path}`, signal)
  expect(await found('/device/devicedatasourceinstances/71/graphs/5001/data?period=1')).toEqual({
    device: '10',
    source: '29',
    instance: '71',
    graph: '5001',
  })
  expect(await found('/device/devicedatasourceinstances/72/graphs/5001/data')).toBe(undefined)
  expect(await found('/device/devices/10/devicedatasources/29/data')).toEqual({ device: '10', source: '29' })
  expect(await found('/device/instances/datafetch')).toBe(undefined)
})

test('instances requested by id are placed, named and measured in few requests', async () => {
  const setting = (dataSourceInstanceId: number, dataPointName: string, effectiveAlertExpr = '') => ({
    dataSourceInstanceId,
    dataPointName,
    effectiveAlertExpr,
  })
  const at = (id: number, deviceDataSourceId: number, displayName: string, deviceDisplayName: string) => ({
    id,
    name: displayName,
    displayName,
    groupId: 0,
    deviceDataSourceId,
    deviceDisplayName,
  })
  const { lookup, windows } = portal({
    '/setting/datasources': {
      items: [
        { name: 'Ping', graphs: [{ id: 5001 }] },
        { name: 'Disks', graphs: [] },
      ],
    },
    '/device/devicedatasourceinstances/71/graphs/5001/data': { scopes: [{ type: 'device', deviceId: 10 }] },
    '/device/devicedatasourceinstances/81/graphs/5001/data': { scopes: [{ type: 'device', deviceId: 11 }] },
    '/device/devices/10/instances': {
      items: [at(71, 29, 'Ping', 'web'), at(72, 30, '/var', 'web'), at(73, 30, '/', 'web')],
    },
    '/device/devices/11/instances': { items: [at(81, 31, 'Ping', 'db')] },
    '/device/devices/10/alertsettings': {
      items: [
        setting(71, 'average', '> 100'),
        setting(71, 'loss', '> 50'),
        setting(72, 'used', '> 90'),
        setting(73, 'used', '> 80'),
        setting(72, 'free'),
      ],
    },
    '/device/devices/11/alertsettings': { items: [setting(81, 'average', '> 200'), setting(81, 'loss', '> 50')] },
    '/device/devices/10/sdts': {
      items: [
        planned({ type: 'ResourceSDT', startDateTime: 1000, endDateTime: 2000, comment: 'of a device' }),
        planned({
          type: 'ResourceGroupSDT',
          deviceGroupId: 1,
          startDateTime: 3000,
          endDateTime: 4000,
          comment: 'of all',
        }),
        planned({
          type: 'DeviceDataSourceInstanceSDT',
          dataSourceInstanceId: 72,
          sdtType: 'daily',
          comment: 'of a disk',
        }),
      ],
    },
    '/device/devices/11/sdts': {
      items: [
        planned({
          type: 'ResourceGroupSDT',
          deviceGroupId: 1,
          startDateTime: 3000,
          endDateTime: 4000,
          comment: 'of all',
        }),
      ],
    },
    ...Object.fromEntries(
      [
        'devices/10',
        'devices/10/devicedatasources/29',
        'devices/10/devicedatasources/30',
        'devices/11',
        'devices/11/devicedatasources/31',
        'groups/1',
      ].map((of) => [`/device/${of}/historysdts`, { items: [] }]),
    ),
  })
  const ids = ['71', '72', '81', '73', '90']
  const texts: Record<string, string[]> = {
    '$.items[*].instanceId': ids,
    '$.items[*].dataSourceName': ['Ping', 'Disks', 'Ping', 'Disks', ''],
  }
  const filter = async (_: string, query: string) => {
    const row = { node: 0, line: 1, depth: 0, kind: 'array' as const, count: 0, open: true, comma: false }
    const rows = [row, ...texts[query].map((text) => ({ ...row, kind: 'string' as const, text }))]
    return { matches: 5, document: 'found', bytes: 0, rows, rowCount: rows.length, lineCount: 1 }
  }
  const requested: string[] = []
  const door = remembering({
    lookup: <T>(path: string) => {
      requested.push(path)
      return lookup<T>(path)
    },
    windows,
    filter,
  })

  expect(isFetched('http://127.0.0.1:8443/api/device/instances/datafetch?period=1')).toBe(true)
  const placed = await lookUpFetched(door, 'doc', signal)
  expect([...namesOf(placed)]).toEqual([
    ['71', 'web Ping'],
    ['72', 'web /var'],
    ['73', 'web /'],
    ['81', 'db Ping'],
  ])
  expect(await lookUpFetchedLimits(door, placed, 4, signal)).toEqual([
    { point: 'loss', op: '>', value: 50, severity: 'warn' },
    { point: 'average', op: '>', value: 100, severity: 'warn', of: '71' },
    { point: 'used', op: '>', value: 90, severity: 'warn', of: '72' },
    { point: 'used', op: '>', value: 80, severity: 'warn', of: '73' },
    { point: 'average', op: '>', value: 200, severity: 'warn', of: '81' },
  ])
  const maintenance = await lookUpFetchedMaintenance(door, placed, { from: 0, to: 9000 }, signal, 9000)
  expect(maintenance.map((w) => `${w.from} ${w.comment}: ${w.of ?? 'everything'}`).sort()).toEqual([
    '1000 of a device: web',
    '1000 of a disk: web /var',
    '3000 of all: everything',
    '8000 of a disk: web /var',
  ])
  expect(requested.filter((path) => /instances/.test(path))).toEqual([
    '/device/devicedatasourceinstances/71/graphs/5001/data',
    '/device/devices/10/instances',
    '/device/devicedatasourceinstances/81/graphs/5001/data',
    '/device/devices/11/instances',
  ])
  expect(new Set(requested).size).toBe(requested.length)
})

test('graph lines use the thresholds of their data points and instances, whatever their labels', async () => {
  const drawn = (legend: string, dataPointName: string, isVirtualDataPoint = false) => ({
    legend,
    dataPointName,
    isVirtualDataPoint,
  })
  const door = portal({
    '/device/devices/10/devicedatasources/29': { dataSourceId: 5 },
    '/device/devices/10/devicedatasources/29/instances': {
      items: [
        { name: 'net-eth0', displayName: 'eth0' },
        { name: 'net-eth1', displayName: 'eth1' },
      ],
    },
    '/setting/datasources/5': {
      graphs: [{ id: 5001, aggregated: true, lines: [drawn('Received', 'in'), drawn('All', 'total', true)] }],
      overviewGraphs: [
        { id: 5002, lines: [drawn('Received', 'in')] },
        { id: 5003, aggregated: true, lines: [drawn('in', 'in')] },
      ],
    },
  })
  const limits = [...limitsOf('in', '> 80'), { ...limitsOf('in', '> 90')[0], of: 'net-eth1' }]
  const against = async (graph: string, instance: string | undefined, ...names: string[]) => {
    const measured = await lookUpMeasured(door, { device: '10', source: '29', instance, graph }, signal)
    return linesOf(series(...names.map((name) => line(name, 1, 2))), measured).map(
      (l) => `${l.name} ${limits.filter((limit) => applies(limit, l)).map((limit) => limit.value)}`,
    )
  }
  expect(await against('5002', undefined, 'eth0 Received', 'eth1 Received')).toEqual([
    'eth0 Received 80',
    'eth1 Received 80,90',
  ])
  expect(await against('5001', '71', 'Received', 'All')).toEqual(['Received 80', 'All '])
  expect(await against('5003', undefined, 'in')).toEqual(['in '])
})

test('a maintenance label is in the first free row', () => {
  const limit = { x: 300, y: 20, width: 100 }
  expect(freeRow([limit], 10, 80, 18, 14, 9)).toBe(18)
  expect(freeRow([limit], 350, 80, 18, 14, 9)).toBe(46)
  expect(freeRow([limit, { x: 350, y: 46, width: 80 }], 350, 80, 18, 14, 9)).toBe(60)
  expect(freeRow([limit], 350, 80, 18, 14, 2)).toBe(18)
})

test('a distant limit is outside the scale, except for percent', () => {
  expect([100, 80, -80, 81].map((limit) => isNear(limit, [18, 20], 'ms'))).toEqual([false, true, true, false])
  expect(isNear(90, [2, 3], '%')).toBe(true)
  expect(isNear(90, [], 'ms')).toBe(true)
  expect(isNear(1, [0, 0], '')).toBe(true) // a status of down
})

test('lines are stacked per set, and gaps stay gaps', () => {
  const lines = [
    { set: 0, stack: true },
    { set: 0, stack: false },
    { set: 0, stack: true },
    { set: 1, stack: true },
  ]
  expect(
    stacked(
      [
        [1, 2, null],
        [9, 9, 9],
        [10, null, 30],
        [5, 5, 5],
      ],
      lines,
    ),
  ).toEqual([
    [1, 2, null],
    [9, 9, 9],
    [11, null, 30],
    [5, 5, 5],
  ])
})

test('bytes and bits have SI prefixes, other units none', () => {
  expect([
    shown(57_464_594_432, 'bytes'),
    shown(999, 'bytes'),
    shown(1234, 'bit/s'),
    shown(-2e6, 'B/s'),
    shown(0, 'bytes'),
  ]).toEqual(['57.46 GB', '999 B', '1.234 kbit/s', '-2 MB/s', '0 B'])
  expect([shown(58.7521, '%'), shown(1_204_000, 'requests'), shown(null, 'bytes')]).toEqual([
    '58.752 %',
    '1.204M requests',
    'no data',
  ])
  expect([tick(50e9, 'bytes'), tick(500, 'bytes'), tick(50_000), tick(50_000, 'ms')]).toEqual([
    '50 G',
    '500',
    '50K',
    '50K',
  ])
})

test('a limit label avoids lines and other limits', () => {
  const text = { width: 60, height: 14 }
  const none = tracesOf([], 0, 200, 10)
  expect(freeSpot([50, 66], text, none, [50], [])).toEqual({ x: 4, y: 50, width: 60 })
  // The name is right of a line that falls at the left end, but below a line along the chart or a close limit.
  expect(
    freeSpot(
      [50, 66],
      text,
      tracesOf(
        [
          [
            { x: 0, y: 45 },
            { x: 30, y: 45 },
            { x: 40, y: 90 },
          ],
        ],
        0,
        200,
        10,
      ),
      [50],
      [],
    ),
  ).toEqual({ x: 44, y: 50, width: 60 })
  expect(
    freeSpot(
      [50, 66],
      text,
      tracesOf(
        [
          [
            { x: 0, y: 45 },
            { x: 200, y: 45 },
          ],
        ],
        0,
        200,
        10,
      ),
      [50],
      [],
    ),
  ).toEqual({ x: 4, y: 66, width: 60 })
  expect(freeSpot([50, 66], text, none, [50, 42], [])).toEqual({ x: 4, y: 66, width: 60 })
  // The text is beside an existing one. If the row is full, there is no spot.
  expect(freeSpot([50], text, none, [50], [{ x: 4, y: 48, width: 60 }])).toEqual({ x: 84, y: 50, width: 60 })
  expect(
    freeSpot(
      [50],
      text,
      tracesOf(
        [
          [
            { x: 0, y: 45 },
            { x: 200, y: 45 },
          ],
        ],
        0,
        200,
        10,
      ),
      [50],
      [],
    ),
  ).toBeUndefined()
  // A gap does not count as a line.
  expect(
    freeSpot([50], text, tracesOf([[{ x: 0, y: 10 }, undefined, { x: 190, y: 45 }]], 0, 200, 10), [50], []),
  ).toEqual({ x: 4, y: 50, width: 60 })
})

test('a scale starts at zero if its values are close to it', () => {
  expect([spanOf([0, 0]), spanOf([13, 100]), spanOf([80, 100]), spanOf([-100, -13]), spanOf([-5, 20])]).toEqual([
    [0, 1],
    [0, 100],
    [80, 100],
    [-100, 0],
    [-5, 20],
  ])
})

test('the most varying number of a list is suggested, not codes or constants', async () => {
  const names = ['createdOn', 'deviceType', 'always', 'severity', 'load', 'groupId']
  const values = (i: number) => [`${1_790_000_000 + i}`, `${i}`, '7', `${2 + (i % 2)}`, `${i % 5}`, `${i}`]
  const proposed = async (...only: string[]) => {
    const columns = names.filter((n) => only.includes(n)).map((n) => ({ id: n, kind: 'number' }))
    const rows = [0, 1, 2, 3, 4, 5].map((i) => ({
      cells: columns.map((c) => ({ text: values(i)[names.indexOf(c.id)] })),
    }))
    const door = {
      series: async () => ({ title: '', unit: '', sets: [], thin: false, more: 0 }),
      columns: async () => ({ columns, shape: 'items' }),
      table: async () => ({ rows }),
    }
    const chart = new Chart(door as never, { document: 'd' } as never)
    await chart.begin()
    return [chart.problem, ...chart.proposed]
  }
  expect(await proposed(...names)).toEqual(['', 'load'])
  expect(await proposed('createdOn', 'deviceType', 'always', 'severity')).toEqual(['', 'severity'])
  expect(await proposed('createdOn', 'deviceType', 'always')).toEqual([''])
})
