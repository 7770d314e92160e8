import { expect, test } from 'vitest'
import { markOf } from '../../chart/lines'
import {
  between,
  chartsOf,
  drawnOf,
  extremesOf,
  farther,
  once,
  placeOf,
  placesOf,
  rangeSince,
  reachable,
  shifted,
  timesOf,
  valueAt,
  type Graph,
  type Part,
} from './charting'
import { entriesOf, listOf, most, otherSource, othersOf, type Met } from './compared'
import { origin, propertyRows, secret } from './properties'

const graph: Graph = {
  title: 'Load',
  verticalLabel: '',
  timestamps: [1000, 2000, 3000],
  lines: [
    { legend: 'load1', data: [1, null, 3] },
    { legend: 'load5', data: [null, null, null] },
  ],
}
const parts: Part[] = [
  { graph, instance: 7, at: 0 },
  { graph, instance: 7, at: 0, of: 'before', shift: 5000 },
]

test('compared lines are below, with their own names, the same color and other dashes', () => {
  const lines = drawnOf(parts)
  expect(lines.map((l) => [l.name, l.set, l.point, l.min, l.max, l.last, l.count])).toEqual([
    ['load1', 0, 'load1', 1, 3, 3, 2],
    ['load5', 0, 'load5', null, null, null, 0],
    ['load1, before', 1, 'load1', 1, 3, 3, 2],
    ['load5, before', 1, 'load5', null, null, null, 0],
  ])
  expect(placesOf(lines, parts)).toEqual([0, 1, 8, 9])
  expect(timesOf(parts)).toEqual([
    [1000, 2000, 3000],
    [6000, 7000, 8000],
  ])
})

test('beyond a threshold, a line shows the extreme of each step, otherwise its mean', () => {
  const limit = (op: string, value: number) => ({ point: 'load1', op, value, severity: 'warn' as const })
  const line = { legend: 'load1', data: [50, 20, null, 8], lows: [0, 10, null, 1], highs: [100, 30, null, 15] }
  expect(extremesOf(line, [limit('>', 60), limit('>', 90)])).toEqual([100, 20, null, 8])
  expect(extremesOf(line, [limit('<', 5), limit('<=', 1)])).toEqual([0, 20, null, 1])
  expect(extremesOf(line, [])).toEqual(line.data)
  expect(extremesOf({ ...line, lows: undefined, highs: undefined }, [limit('>', 60)])).toEqual(line.data)

  const of: Part = { graph: { ...graph, lines: [line] }, instance: 7, at: 0 }
  const drawn = (limits: Parameters<typeof drawnOf>[2], part = of) => drawnOf([part], false, limits)[0]
  expect([drawn([limit('>', 60)]).max, drawn([{ ...limit('>', 60), of: '8' }]).max]).toEqual([100, 50])
  expect(drawn([{ ...limit('>', 60), point: 'load5' }]).max).toBe(50)
  expect(drawn([limit('>', 60)], { ...of, graph: { ...of.graph, lines: [{ ...line, type: 'stack' }] } }).max).toBe(50)
})

test('the charts of a new device show the time since it was added', () => {
  const hour = 3_600_000
  const now = 100 * 24 * hour
  expect([0.2, 1, 3, 7, 48].map((hours) => rangeSince(now - hours * hour, now))).toEqual([
    '1h',
    '1h',
    '6h',
    '24h',
    '24h',
  ])
  expect(rangeSince(0, now)).toBe('24h')
})

test('each compared device has a color and dashes, and each line of a graph has a chart', () => {
  const three: Part[] = [
    { graph, instance: 7, at: 0, of: 'a' },
    { graph, instance: 9, at: 2, of: 'c' },
    { graph, instance: 7, at: 0, of: 'a, before', shift: 5000 },
  ]
  const charts = chartsOf('Load', drawnOf(three, true), true)
  expect(charts.map((c) => [c.title, c.lines.map((l) => [l.name, l.instance])])).toEqual([
    [
      'Load: load1',
      [
        ['a', '7'],
        ['c', '9'],
        ['a, before', '7'],
      ],
    ],
    [
      'Load: load5',
      [
        ['a', '7'],
        ['c', '9'],
        ['a, before', '7'],
      ],
    ],
  ])
  expect(charts.map((c) => placesOf(c.lines, three, true))).toEqual([
    [0, 18, 8],
    [0, 18, 8],
  ])
  expect(
    Array.from({ length: 8 }, (_, i) => markOf(placeOf(i)).token).filter((token, i, all) => all.indexOf(token) === i)
      .length,
  ).toBe(8)
  for (const [one, other] of [
    [1, 2],
    [0, 4],
  ])
    expect(markOf(placeOf(one)).dash).not.toEqual(markOf(placeOf(other)).dash)
})

test('lines are not requested more often than visible, or than the portal responds', () => {
  const hour = 3_600_000
  expect([between(hour, 1), between(hour, 2), between(24 * hour, 8)]).toEqual([0, 6000, 60_000])
})

test('a shared limit is labelled once', () => {
  const limit = (of: string | undefined, value: number) => ({
    point: 'load1',
    op: '>',
    value,
    severity: 'warn' as const,
    ...(of && { of }),
  })
  const names = new Map([
    ['1', 'a'],
    ['2', 'b'],
    ['3', 'c'],
    ['4', 'd'],
    ['5', 'e'],
    ['6', 'f'],
  ])
  const all = [
    limit('1', 5),
    limit('2', 5),
    limit('3', 6),
    limit('4', 7),
    limit('5', 7),
    limit('6', 7),
    limit(undefined, 9),
  ]
  expect(once(all, 6, names).map((l) => [l.value, l.of])).toEqual([
    [5, 'a, b'],
    [6, '3'],
    [7, '3 of 6'],
    [9, undefined],
  ])
  expect(once(all, 2, names)).toBe(all)
})

test('the address lists compared devices, and each finds its instance or reports why not', () => {
  const entries = entriesOf('5,7.71,7.71,8,9,10,x,3.32')
  expect(listOf(entries)).toBe('5,7.71,8,9,10,3.32')
  expect(listOf(otherSource(entries, 3))).toBe('5,7,8,9,10')
  expect(entriesOf('1,2,3,4,5,6,7,8,9')).toHaveLength(most - 1)
  const on = (id: number, name: string) => ({ id, name, displayName: name, deviceDataSourceId: id * 10 })
  const met = (id: number, sources = [9], hostStatus = 'normal') =>
    [id, { id, displayName: `web-${id}`, hostStatus, sources }] as const
  const devices = new Map<number, Met | null>([met(5), met(7, [9], 'dead'), met(8, [1]), [9, null]])
  const instances = new Map([
    [5, [on(51, 'eth1'), on(52, 'eth0')]],
    [7, [on(71, 'lo')]],
    [3, [on(31, 'eth0'), on(32, 'eth1')]],
  ])
  expect(
    othersOf(entries, devices, instances, { device: 3, dataSource: 9, instance: on(31, 'eth0') }).map((o) => [
      o.name,
      o.instance?.id,
      o.lacks,
      o.dead,
    ]),
  ).toEqual([
    ['web-5', 52, undefined, false],
    ['web-7', 71, undefined, true],
    ['web-8', undefined, 'source', false],
    ['Device 9', undefined, 'gone', undefined],
    ['Device 10', undefined, 'answer', undefined],
    ['eth1', 32, undefined, undefined],
  ])
})

test('a threshold that would flatten the lines is not drawn', () => {
  const limit = (value: number) => ({ point: 'load1', op: '>', value, severity: 'warn' as const })
  const { near, far } = reachable([limit(4), limit(1000)], drawnOf(parts))
  expect([near.map((l) => l.value), far.map((l) => l.value)]).toEqual([[4], [1000]])
})

test('the readout bridges a missing poll, and no more', () => {
  expect(valueAt([1, null, 3], 1)).toBe(1)
  expect(valueAt([1, null, null, null], 3)).toBe(null)
  expect(valueAt(undefined, 0)).toBe(null)
})

test('own properties come first and show what they override', () => {
  const listed = [
    { name: 'auto.model', value: 'X', type: 'auto', inheritList: [] },
    { name: 'owner', value: 'us', type: 'custom', inheritList: [{ fullpath: 'Servers', value: 'them' }] },
    { name: 'contact', value: '********', type: 'inherit', inheritList: [{ fullpath: '', value: '********' }] },
  ]
  const rows = propertyRows(listed)
  expect(rows.map((p) => [p.name, p.hides, origin(p)])).toEqual([
    ['owner', 'Servers: them', 'this device'],
    ['contact', '', 'group All devices'],
    ['auto.model', '', 'found by checks'],
  ])
  expect(secret(rows[1].value)).toBe(true)
})

test('a range is shifted by half and zoomed out, never into the future', () => {
  expect(shifted({ from: 1000, to: 3000 }, -1, 3000)).toEqual({ from: 0, to: 2000 })
  expect(shifted({ from: 0, to: 2000 }, 1, 2500)).toEqual({ from: 500, to: 2500 })
  expect(farther({ from: 1000, to: 3000 }, 9000)).toEqual({ from: 0, to: 4000 })
  expect(farther({ from: 1000, to: 3000 }, 3500)).toEqual({ from: -500, to: 3500 })
})
