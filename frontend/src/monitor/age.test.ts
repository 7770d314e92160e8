import { expect, test } from 'vitest'
import { inZone, zoned } from './age'

test('the times in a message are in the time zone of the user', () => {
  const at = Date.UTC(2026, 10, 24, 17, 23, 52) / 1000
  expect(inZone('Critical since 2026-11-24 17:23:52 UTC.')).toBe(`Critical since ${zoned(at)}.`)
  expect(inZone('From 2026-11-24 17:23:52 to 2026-13-24 17:23:52 UTC')).toBe(
    'From 2026-11-24 17:23:52 to 2026-13-24 17:23:52 UTC',
  )
})
