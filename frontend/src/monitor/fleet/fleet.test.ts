import { describe, expect, test } from 'vitest'
import { moved } from './bulk'
import { columnsShown } from './columns'
import { conditionOf, filterOf, idsOf, sortOf } from './devices'
import { tops, type Group } from './groups.svelte'

describe('the filter of the fleet', () => {
  test.each([
    [{ groups: [], state: '', search: '' }, ''],
    [{ groups: [5, 7], state: '', search: '' }, 'hostGroupIds:"5"|"7"'],
    [
      { groups: [5], state: 'dead', search: 'web  prod' },
      'hostGroupIds:"5",hostStatus!:"normal",_all~"web",_all~"prod"',
    ],
    [{ groups: [], state: 'crit', search: 'a"b\\c' }, 'alertStatus~"critical",_all~"a\\"b\\\\c"'],
    [{ groups: [], state: 'unheard of', search: ' ' }, ''],
  ])('%j is %s', (wanted, filter) => expect(filterOf(wanted)).toBe(filter))
})

test('a moved device stays in its dynamic groups', () => {
  const dynamic = (id: number) => id === 20
  expect(moved([8, 15, 20], 3, dynamic, false)).toBe('3,20')
  expect(moved([8, 15, 20], 3, dynamic, true)).toBe('3,8,15,20')
  expect(moved([1], 3, dynamic, true)).toBe('3')
  expect(moved([3, 8], 3, dynamic, true)).toBe('3,8')
})

test('the device column is always shown', () => {
  expect(columnsShown(undefined).map((c) => c.id)).toEqual([
    'status',
    'device',
    'address',
    'group',
    'collector',
    'trend',
    'data',
  ])
  expect(columnsShown(['data', 'description']).map((c) => c.id)).toEqual(['device', 'description', 'data'])
})

test('the most severe devices come first, and collectors are a column only if there are several', () => {
  expect(['alertStatusPriority', '-alertStatusPriority', 'name'].map(sortOf)).toEqual([
    'alertStatusPriority,hostStatus,displayName',
    '-alertStatusPriority,hostStatus,displayName',
    'name',
  ])
  expect(columnsShown(undefined, false).map((c) => c.id)).toEqual([
    'status',
    'device',
    'address',
    'group',
    'trend',
    'data',
  ])
  expect(columnsShown(['collector'], false).map((c) => c.id)).toEqual(['device', 'collector'])
})

test('ids and states are parsed as in the API', () => {
  expect(idsOf('8,15')).toEqual([8, 15])
  expect(idsOf('')).toEqual([])
  const condition = (hostStatus: string, alertStatus: string, lastDataTime = 1) => {
    const { level, word } = conditionOf({ hostStatus, alertStatus, lastDataTime })
    return `${level} ${word}`
  }
  expect([
    condition('normal', 'none'),
    condition('normal', 'none', 0),
    condition('normal', 'confirmed-error-none'),
    condition('dead', 'none'),
    condition('dead', 'unconfirmed-warn-none'),
    condition('dead-collector', 'none', 0),
  ]).toEqual([
    'ok OK',
    'unknown No data yet',
    'error Error',
    'crit Not responding',
    'warn Not responding',
    'crit Collector down',
  ])
})

test('without the root, the tree starts at groups with a hidden parent', () => {
  const group = (id: number, parentId: number) => ({ id, parentId }) as Group
  expect(tops([group(5, 2), group(6, 5), group(9, 1)]).map((g) => g.id)).toEqual([5, 9])
})
