import { expect, test } from 'vitest'
import { exactMoment } from '../ui/locale'
import { localTime } from './epoch'

const at = (iso: string) => exactMoment(new Date(iso))

test('epochs in seconds and milliseconds read as local time', () => {
  expect(localTime('lastDataTime', '1795187021')).toBe(at('2026-11-20T15:03:41Z'))
  expect(localTime('createdOn', '1795187021000')).toBe(at('2026-11-20T15:03:41Z'))
  expect(localTime('startEpoch', '1795187021')).toBe(at('2026-11-20T15:03:41Z'))
})

test('other numbers are left alone', () => {
  for (const [key, text] of [
    ['id', '1795187021'],
    ['createdOn', '0'],
    ['createdOn', '-1'],
    ['uptime', '1795187021'],
    ['responseTime', '12'],
    ['updatedOn', '1795187021.5'],
    ['updatedOn', '99999999999999'],
  ])
    expect(localTime(key, text)).toBe('')
})
