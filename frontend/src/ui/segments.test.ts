import { expect, test } from 'vitest'
import { lastSegments, markedEnd, tellingEnd } from './segments'

test('a long path keeps its last segments', () => {
  const path = '/device/devices/{deviceId}/devicedatasources/{hdsId}/instances'
  expect(lastSegments(path, 20)).toBe('…/{hdsId}/instances')
  expect(lastSegments(path, 19)).toBe('…/{hdsId}/instances')
  expect(lastSegments(path, 18)).toBe('…/instances')
  expect(lastSegments(path, 3)).toBe('…/instances')
  expect(lastSegments('/device/devices/', 12)).toBe('…/devices/')
  expect(lastSegments('/setting', 4)).toBe('/setting')
})

test.each([
  ['/device/devices/{id}/scheduleAutoDiscovery', 18, '…/sched…oDiscovery'],
  ['/device/devices/{id}/schedulePropDiscovery', 18, '…/sched…pDiscovery'],
  ['/device/devices/{id}/enabledAutoDiscovery', 18, '…/enabl…oDiscovery'], // the ends alone would be ambiguous
  ['/scheduleAutoDiscovery', 16, '/sche…oDiscovery'],
  ['/device/devices/{{nameOfADevice}}', 14, '…/{{nameOfADevice}}'],
])('of %s in %d characters is left %s', (path, characters, left) => {
  expect(lastSegments(path, characters)).toBe(left)
})

test.each([
  ['/device/devices/{id}/properties', '…/properties'],
  ['/device/devices/7', '…/devices/7'],
  ['/device/devices/{id}', '…/devices/{id}'],
  ['/device/devices/{{deviceId}}', '…/devices/{{deviceId}}'],
  ['/devices/7', '/devices/7'],
  ['/setting', '/setting'],
  ['', ''],
])('the end that tells %s from others is %s', (path, end) => {
  expect(tellingEnd(path)).toBe(end)
})

test('highlights are kept in a shortened path', () => {
  expect(markedEnd('/device/groups', [1, 8], 14)).toEqual({ text: '/device/groups', marks: [1, 8] })
  const { text, marks } = markedEnd('/device/groups/{gid}/properties', [1, 21, 22], 20)
  expect([text, marks.map((m) => text[m])]).toEqual(['…/{gid}/properties', ['p', 'r']])
  const cut = markedEnd('/device/devices/{id}/scheduleAutoDiscovery', [1, 21, 22, 29, 33, 34], 18)
  expect([cut.text, cut.marks.map((m) => cut.text[m])]).toEqual(['…/sched…oDiscovery', ['s', 'c', 'D', 'i']])
})
