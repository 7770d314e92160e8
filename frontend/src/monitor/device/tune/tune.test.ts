import { expect, test } from 'vitest'
import { moved, nearer, plain, stepOf } from './tune'

test('a limit moves in steps and stops before its neighbors', () => {
  expect(moved(['60', '80', '90'], 1, 84.6, 1, '>')).toEqual(['60', '85', '90'])
  expect(moved(['60', '80', '90'], 1, 200, 1, '>')).toEqual(['60', '89', '90'])
  expect(moved(['60', '80', '90'], 1, 0, 1, '>')).toEqual(['60', '61', '90'])
  expect(moved(['60', '80', '90.5'], 1, 200, 5, '>')).toEqual(['60', '90', '90.5'])
  expect(moved(['60', '61', '62'], 1, 200, 5, '>')).toEqual(['60', '61', '62'])
  expect(moved(['', '', '90'], 2, 12.34, 0.5, '>')).toEqual(['', '', '12.5'])
  expect(moved(['20', '10', '5'], 1, 100, 1, '<')).toEqual(['20', '19', '5'])
  expect(moved(['20', '10', '5'], 1, -7, 1, '<')).toEqual(['20', '6', '5'])
})

test('steps suit the scale', () => {
  expect([stepOf(0, 100), stepOf(0, 1), stepOf(0, 3e9), stepOf(5, 5)]).toEqual([0.5, 0.005, 2e7, 1])
  expect(plain(0.1 + 0.2)).toBe('0.3')
})

test('a nearer level keeps a threshold from taking effect', () => {
  const chain = [
    { level: 'device' as const, id: 0 },
    { level: 'group' as const, id: 3 },
  ]
  expect(nearer({ chain }, 'instance', 0)).toBe('')
  expect(nearer({ chain }, 'device', 0)).toBe('')
  expect(nearer({ chain }, 'group', 3)).toBe('device')
  expect(nearer({ chain }, 'source', 0)).toBe('device')
  expect(nearer({ chain: chain.slice(1) }, 'group', 3)).toBe('')
  expect(nearer({ chain: chain.slice(1) }, 'group', 4)).toBe('group')
  expect(nearer({ chain: [] }, 'source', 0)).toBe('')
})
