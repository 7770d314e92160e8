import { expect, test } from 'vitest'
import { dayMonth, time } from '../../ui/locale'
import { momentOn, momentsBetween, roundStep, wordsAlong } from './axis'

const at = (time: string) => Date.parse(`2026-11-22T${time}:00Z`) / 1000
const times = (moments: number[]) => moments.map((t) => new Date(t * 1000).toISOString().slice(11, 16))

test('a time axis has at most seven ticks at round times', () => {
  const hours = 3600
  expect([3, 6, 6.1, 24, 7 * 24 + 2, 30 * 24].map((n) => roundStep(n * hours) / hours)).toEqual([0.5, 1, 1, 4, 24, 168])
  expect(times(momentsBetween(at('15:33'), at('21:38'), hours, 0))).toEqual([
    '16:00',
    '17:00',
    '18:00',
    '19:00',
    '20:00',
    '21:00',
  ])
  expect(times(momentsBetween(at('16:00'), at('18:00'), hours, 0))).toEqual(['16:00', '17:00', '18:00'])
  expect(times(momentsBetween(at('15:33'), at('21:38'), 4 * hours, -5.5 * hours))).toEqual(['18:30']) // midnight in India
  expect(momentsBetween(at('15:33'), at('15:40'), hours, 0)).toEqual([])
})

test('axis labels touch neither each other nor the ends', () => {
  const word = (m: number) => `22 Nov, ${m}:00`
  const along = (from: number, apart: number, end: number) =>
    wordsAlong([19, 20, 21, 22], (m) => from + (m - 19) * apart, word, end)
  expect(along(10, 140, 900).map((w) => [w.text, Math.round(w.x)])).toEqual([
    [word(19), 48],
    [word(20), 150],
    [word(21), 290],
    [word(22), 430],
  ])
  expect(along(60, 60, 900).map((w) => w.text)).toEqual([word(19), word(21)])
  expect(along(60, 124, 240).map((w) => w.text)).toEqual([word(19), word(20)])
})

test('an axis labels the day at midnight only', () => {
  const moments = [new Date(2026, 10, 21, 23), new Date(2026, 10, 22), new Date(2026, 10, 22, 0, 30)]
  expect(moments.map((m) => momentOn(m.getTime() / 1000))).toEqual([
    time(moments[0]),
    dayMonth(moments[1]),
    time(moments[2]),
  ])
})
