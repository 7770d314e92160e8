import { expect, test } from 'vitest'
import { drawnOf, placesOf, reachable, timesOf, valueAt, type Graph } from './charting'
import { origin, propertyRows, secret } from './properties'

const graph: Graph = { title: 'Load', verticalLabel: '', timestamps: [1000, 2000, 3000], lines: [{ legend: 'load1', data: [1, null, 3] }, { legend: 'load5', data: [null, null, null] }] }
const parts = [{ graph }, { graph, of: 'before', shift: 5000 }]

test('what is compared lies below with its own name, the same colour and other dashes', () => {
  const lines = drawnOf(parts)
  expect(lines.map((l) => [l.name, l.set, l.point, l.min, l.max, l.last, l.count])).toEqual([
    ['load1', 0, 'load1', 1, 3, 3, 2], ['load5', 0, 'load5', null, null, null, 0],
    ['load1, before', 1, 'load1', 1, 3, 3, 2], ['load5, before', 1, 'load5', null, null, null, 0],
  ])
  expect(placesOf(lines)).toEqual([0, 1, 8, 9])
  expect(timesOf(parts)).toEqual([[1000, 2000, 3000], [6000, 7000, 8000]])
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

test('own properties come first and tell what they hide', () => {
  const listed = [
    { name: 'auto.model', value: 'X', type: 'auto', inheritList: [] },
    { name: 'owner', value: 'us', type: 'custom', inheritList: [{ fullpath: 'Servers', value: 'them' }] },
    { name: 'contact', value: '********', type: 'inherit', inheritList: [{ fullpath: '', value: '********' }] },
  ]
  const rows = propertyRows(listed)
  expect(rows.map((p) => [p.name, p.hides, origin(p)])).toEqual([['owner', 'Servers: them', 'this device'], ['contact', '', 'group All devices'], ['auto.model', '', 'found by checks']])
  expect(secret(rows[1].value)).toBe(true)
})
