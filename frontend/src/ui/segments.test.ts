import { expect, test } from 'vitest'
import { lastSegments, markedEnd } from './segments'

test('of a path that is too long the last segments stay whole', () => {
  const path = '/device/devices/{deviceId}/devicedatasources/{hdsId}/instances'
  expect(lastSegments(path, 20)).toBe('…/{hdsId}/instances')
  expect(lastSegments(path, 19)).toBe('…/{hdsId}/instances')
  expect(lastSegments(path, 18)).toBe('…/instances')
  expect(lastSegments(path, 3)).toBe('…/instances')
  expect(lastSegments('/device/devices/', 12)).toBe('…/devices/')
  expect(lastSegments('/setting', 4)).toBe('/setting')
})

test('marks go with what is left of a path', () => {
  expect(markedEnd('/device/groups', [1, 8], 14)).toEqual({ text: '/device/groups', marks: [1, 8] })
  const { text, marks } = markedEnd('/device/groups/{gid}/properties', [1, 21, 22], 20)
  expect([text, marks.map((m) => text[m])]).toEqual(['…/{gid}/properties', ['p', 'r']])
})
