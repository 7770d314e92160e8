import { expect, test } from 'vitest'
import { lastSegments } from './segments'

test('of a path that is too long the last segments stay whole', () => {
  const path = '/device/devices/{deviceId}/devicedatasources/{hdsId}/instances'
  expect(lastSegments(path, 20)).toBe('…/{hdsId}/instances')
  expect(lastSegments(path, 19)).toBe('…/{hdsId}/instances')
  expect(lastSegments(path, 18)).toBe('…/instances')
  expect(lastSegments(path, 3)).toBe('…/instances')
  expect(lastSegments('/device/devices/', 12)).toBe('…/devices/')
  expect(lastSegments('/setting', 4)).toBe('/setting')
})
