import { expect, test } from 'vitest'
import type { MonitorClient } from '../../client/monitor'
import { litOf, pathOf, type Around } from './around'
import { Fleet, load } from './fleet'
import {
  between,
  bundles,
  closedAround,
  closedBoxes,
  fit,
  isOpen,
  middleOf,
  moved,
  next,
  scales,
  seen,
  thingAt,
  toMap,
  toScreen,
  whole,
  zoomed,
} from './view'

type Answer = ConstructorParameters<typeof Fleet>[0]

const box = (
  name: string,
  parent: number,
  x: number,
  y: number,
  width: number,
  height: number,
  first: number,
  count: number,
) => ({
  groupId: 10 + x,
  name,
  parent,
  x,
  y,
  width,
  height,
  first,
  count,
})

/** Oslo has a box of two switches and one of three servers; Paris has a server. */
const answer: Answer = {
  layout: 'one',
  width: 20,
  height: 10,
  groups: [
    box('Oslo', -1, 1, 2, 12, 7, 0, 5),
    box('Linux', 0, 2, 4, 5, 4, 0, 3),
    box('Switches', 0, 8, 4, 4, 4, 3, 2),
    box('Paris', -1, 14, 2, 5, 4, 5, 1),
  ],
  devices: {
    ids: [103, 104, 105, 101, 102, 106],
    names: ['web', 'db', 'cache', 'core', 'access', 'mail'],
    x: [3, 4, 5, 9, 10, 15],
    y: [6, 6, 6, 6, 6, 4],
    groups: [1, 1, 1, 2, 2, 3],
    parents: [4, 4, 4, -1, 3, 4],
  },
  states: 'nEscwn',
  counts: [1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
}
const fleet = new Fleet(answer)
const size = { width: 1000, height: 500 }
const near = { ...fit({ x: 0, y: 0, width: 20, height: 10 }, size) }
const far = { ...near, z: 3 }

test('states, positions and names come from the response', () => {
  expect(fleet.inCell(9, 6)).toBe(3)
  expect([fleet.inCell(0, 0), fleet.inCell(-1, 6), fleet.inCell(20, 6)]).toEqual([-1, -1, -1])
  expect([fleet.letter(1), fleet.handled(1), fleet.handled(3)]).toEqual(['e', true, false])
  expect([fleet.worstOf(0), fleet.worstOf(1), fleet.worstOf(3)]).toEqual(['c', 'e', 'n'])
  expect(fleet.pathOf(0)).toEqual(['Oslo', 'Linux'])
  expect(fleet.boxes.map((b) => b.own)).toEqual([0, 3, 2, 1])
})

test('a search finds devices and boxes, prefixes first', () => {
  expect(fleet.find('c', 3)).toEqual({
    items: [
      { id: 105, name: 'cache', device: 2 },
      { id: 101, name: 'core', device: 3 },
      { id: -3, name: 'Oslo › Switches', box: fleet.boxes[2] },
    ],
    more: 1,
  })
  expect(fleet.find('zz', 3)).toEqual({ items: [], more: 0 })
})

test('only states are requested again while the layout is the same', async () => {
  const requests: unknown[] = []
  const none = { ids: [], names: [], x: [], y: [], groups: [], parents: [] }
  const portal = {
    get: (_: string, { query }: { query: unknown }) => {
      requests.push(query)
      return Promise.resolve({ ...answer, groups: [], devices: none, states: 'cccccc' })
    },
  } as unknown as MonitorClient
  const changed = await load(portal, fleet)
  expect(requests).toEqual([{ layout: 'one' }])
  expect([changed.states, changed.names, changed.inCell(9, 6)]).toEqual(['cccccc', fleet.names, 3])
  expect(fleet.states).toBe('nEscwn')
  expect(await load(portal, changed)).toBe(changed)
  expect(JSON.stringify(changed)).not.toBe(JSON.stringify(fleet))
})

test('the whole map fits, and screen and map convert both ways', () => {
  const c = whole(fleet, size)
  for (const [x, y] of [
    [-0.5, -0.5],
    [19.5, 9.5],
  ]) {
    const at = toScreen(c, size, x, y)
    expect(at.x).toBeGreaterThanOrEqual(0)
    expect(at.x).toBeLessThanOrEqual(size.width)
    expect(at.y).toBeGreaterThanOrEqual(0)
    expect(at.y).toBeLessThanOrEqual(size.height)
    expect(toMap(c, size, at).x).toBeCloseTo(x)
  }
  const at = { x: 120, y: 340 }
  const closer = zoomed(c, 2, size, fleet, at)
  expect(toMap(closer, size, at).x).toBeCloseTo(toMap(c, size, at).x)
  expect(toMap(closer, size, at).y).toBeCloseTo(toMap(c, size, at).y)
  expect(zoomed(c, 1e9, size, fleet).z).toBe(scales.most)
  expect(zoomed(c, 1e-9, size, fleet).z).toBeGreaterThan(0)
  expect(moved(c, -1e9, 1e9, fleet)).toMatchObject({ x: 20, y: -1 })
})

test('a flight begins at one camera and ends at the other', () => {
  const [a, b] = [
    { x: 1, y: 2, z: 4 },
    { x: 9, y: 7, z: 64 },
  ]
  expect(between(a, b, 0)).toEqual(a)
  const end = between(a, b, 1)
  expect([end.x, end.y, end.z].map((n) => Math.round(n * 1e6) / 1e6)).toEqual([9, 7, 64])
  expect(between(a, { ...a, x: 3 }, 1).x).toBe(3)
})

test('zooming in opens sites, then groups, then devices', () => {
  expect(seen(fleet, far, size)).toEqual({ open: [], closed: [0, 3], devices: [] })
  expect(seen(fleet, near, size)).toEqual({ open: [0, 1, 2, 3], closed: [], devices: [0, 1, 2, 3, 4, 5] })
  expect([isOpen(fleet, 0, 12), isOpen(fleet, 1, 3.9)]).toEqual([true, false])
  expect([closedAround(fleet, 0, far.z), closedAround(fleet, 0, near.z)]).toEqual([0, -1])
  // the result contains nothing outside the window
  expect(seen(fleet, { x: 16, y: 4, z: 300 }, size)).toEqual({ open: [3], closed: [], devices: [5] })
})

test('a point hits a device, the outermost closed box, or nothing', () => {
  const on = (c: typeof near, x: number, y: number) => thingAt(fleet, c, size, toScreen(c, size, x, y))
  expect(on(near, 9, 6)).toEqual({ device: 3 })
  expect(on(far, 9, 6)).toEqual({ box: 0 })
  expect(on(far, 1.5, 2.5)).toEqual({ box: 0 })
  expect(on(near, 1.5, 2.5)).toBeUndefined()
  expect(on(near, 19, 9)).toBeUndefined()
})

test('arrow keys go to the next object in a direction, starting in the middle', () => {
  const from = { device: 1 }
  expect(next(fleet, near, size, from, 'left')).toEqual({ device: 0 })
  expect(next(fleet, near, size, from, 'right')).toEqual({ device: 2 })
  expect(next(fleet, near, size, { device: 2 }, 'right')).toEqual({ device: 3 })
  expect(next(fleet, near, size, { device: 0 }, 'left')).toBeUndefined()
  expect(next(fleet, near, size, undefined, 'left')).toEqual({ device: 3 })
  expect(next(fleet, far, size, { box: 0 }, 'right')).toEqual({ box: 3 })
})

test('dependencies of closed boxes are drawn as one line', () => {
  expect(bundles(fleet, closedBoxes(fleet, far.z))).toEqual([{ from: { box: 3 }, to: { box: 0 }, count: 1 }])
  expect(bundles(fleet, [-1, 1, -1, -1])).toEqual([{ from: { box: 1 }, to: { device: 4 }, count: 3 }])
  expect(bundles(fleet, [-1, -1, 2, -1])).toEqual([
    { from: { box: 1 }, to: { box: 2 }, count: 3 },
    { from: { box: 3 }, to: { box: 2 }, count: 1 },
  ])
  expect(bundles(fleet, [-1, -1, -1, -1])).toEqual([])
})

test('the blast radius and the path highlight devices', () => {
  const around = {
    deviceId: 102,
    dependsOn: [{ deviceId: 101 }],
    dependentIds: [103, 104, 999],
    path: [],
  } as unknown as Around
  expect([...litOf(fleet, around)]).toEqual([4, 3, 0, 1])
  expect(pathOf(fleet, around)).toBeUndefined()
  const path = [
    { kind: 'device', id: 103, name: 'web', index: 0 },
    { kind: 'group', id: 11, name: 'Oslo', index: 0 },
    { kind: 'device', id: 106, name: 'mail', index: 5 },
  ] as Around['path']
  expect([...litOf(fleet, { ...around, path })]).toEqual([0, 5])
  expect(pathOf(fleet, { ...around, path })).toEqual([{ device: 0 }, { box: 0 }, { device: 5 }])
  expect(pathOf(fleet, { ...around, path: [{ ...path[0], id: 999 }] })).toBeUndefined()
  expect(middleOf(fleet, { box: 3 })).toEqual({ x: 16, y: 3.5 })
})
