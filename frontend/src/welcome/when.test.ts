import { expect, test } from 'vitest'
import { day as date, time } from '../ui/locale'
import { ago, day } from './when'

const now = new Date(2026, 10, 20, 15, 43).getTime()
const before = (minutes: number) => now - minutes * 60_000

test('times are shown by age', () => {
  expect([0, 12, 61, 60 * 20, 60 * 24 * 17].map((m) => ago(before(m), now))).toEqual([
    'just now',
    '12 min ago',
    '1 h ago',
    `Yesterday ${time(before(60 * 20))}`,
    date(before(60 * 24 * 17)),
  ])
})

test('entries are grouped by day', () => {
  expect([0, 60 * 16, 60 * 24 * 17].map((m) => day(before(m), now))).toEqual([
    'Today',
    'Yesterday',
    date(before(60 * 24 * 17)),
  ])
})
