import { expect, test } from 'vitest'
import { levelOf, type Story } from './story'

test('a device has its highest severity, and is critical while it does not respond', () => {
  const alerts = [
    { deviceId: 1, severity: 2 },
    { deviceId: 1, severity: 4 },
    { deviceId: 2, severity: 3 },
  ] as Story['alerts']
  const level = (deviceId: number, silentOn = 0, backOn = 0) => levelOf({ alerts }, { deviceId, silentOn, backOn })
  expect([level(1), level(2), level(3), level(3, 100), level(3, 100, 200)]).toEqual([
    'crit',
    'error',
    'ok',
    'crit',
    'ok',
  ])
})
