import { expect, test } from 'vitest'
import { queryOf } from './query'

test.each([
  ['http://127.0.0.1/api/device/devices?size=7&filter=displayName~%22web%22', '?size=7&filter=displayName~"web"'],
  ['http://127.0.0.1/api/device/devices', ''],
  ['/device/devices?', ''],
  ['/device/devices?a=b+c#there', '?a=b c'],
  ['/device/devices?a=%E0%A4%A', '?a=%E0%A4%A'],
])('%s', (url, query) => {
  expect(queryOf(url)).toBe(query)
})
