import { expect, test } from 'vitest'
import { ago, since, span } from './age'
import { severityOf, severityOfDevice, severityOfStatus, thresholdOf } from './severity'

test('the limit of an alert is the one of its severity, or the last', () => {
  expect(thresholdOf('> 60 80 90', 2)).toEqual({ op: '>', limit: 60 })
  expect(thresholdOf('> 60 80 90', 4)).toEqual({ op: '>', limit: 90 })
  expect(thresholdOf('<= 20 10', 4)).toEqual({ op: '<=', limit: 10 })
  expect(thresholdOf('', 3)).toBeUndefined()
  expect(thresholdOf('> many', 3)).toBeUndefined()
})

test('severities by number and by the status of a device', () => {
  expect([4, 3, 2, 0].map((n) => severityOf(n).word)).toEqual(['Critical', 'Error', 'Warning', 'OK'])
  expect(
    ['none', 'unconfirmed-critical-none', 'confirmed-error-sdt', 'unconfirmed-warn-none'].map(
      (s) => severityOfStatus(s).level,
    ),
  ).toEqual(['ok', 'crit', 'error', 'warn'])
})

test('the state of a device without data is unknown', () => {
  const level = (alertStatus: string, lastDataTime: number) => severityOfDevice({ alertStatus, lastDataTime }).level
  expect([level('none', 0), level('none', 1), level('unconfirmed-error-none', 0)]).toEqual(['unknown', 'ok', 'error'])
})

test('durations are shown in their two largest units', () => {
  expect([0, 59, 60, 3599, 3600, 4320, 36_000, 40_000, 86_400, 100_000, 900_000].map(span)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '1 h 12 min',
    '10 h',
    '11 h',
    '1 d',
    '1 d 3 h',
    '10 d',
  ])
  expect([59_999, 60_000, 200_000].map(ago)).toEqual(['just now', '1 min ago', '3 min ago'])
})

test('ages of a minute and more change together at each full minute, younger ones each ten seconds', () => {
  const begun = [960, 985, 1015, 1019, 1068]
  const shown = (now: number) => begun.map((at) => since(at, now * 1000))
  expect(shown(1069)).toEqual(['1 min', '1 min', '45 s', '41 s', '0 s'])
  expect(shown(1070)).toEqual(['1 min', '1 min', '55 s', '51 s', '2 s'])
  expect(shown(1080)).toEqual(['2 min', '2 min', '1 min', '1 min', '12 s'])
  expect(shown(1139)).toEqual(['2 min', '2 min', '1 min', '1 min', '1 min'])
  expect(shown(1140)).toEqual(['3 min', '3 min', '2 min', '2 min', '1 min'])
})
