import { expect, test } from 'vitest'
import { momentsBetween, roundStep } from './axis'

const at = (time: string) => Date.parse(`2026-11-22T${time}:00Z`) / 1000
const told = (moments: number[]) => moments.map((t) => new Date(t * 1000).toISOString().slice(11, 16))

test('an axis tells round moments, at most seven', () => {
  const hours = 3600
  expect([3, 6, 6.1, 24, 7 * 24 + 2, 30 * 24].map((n) => roundStep(n * hours) / hours)).toEqual([0.5, 1, 1, 4, 24, 168])
  expect(told(momentsBetween(at('15:33'), at('21:38'), hours, 0))).toEqual(['16:00', '17:00', '18:00', '19:00', '20:00', '21:00'])
  expect(told(momentsBetween(at('16:00'), at('18:00'), hours, 0))).toEqual(['16:00', '17:00', '18:00'])
  expect(told(momentsBetween(at('15:33'), at('21:38'), 4 * hours, -5.5 * hours))).toEqual(['18:30']) // midnight in India
  expect(momentsBetween(at('15:33'), at('15:40'), hours, 0)).toEqual([])
})
