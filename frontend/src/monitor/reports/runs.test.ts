import { number, timeOfDay, weekdayMoment } from '../../ui/locale'
import { zoned } from '../age'
import { asCell } from '../list/cells'
import type { Row } from '../settings/kind'
import { kind } from './report'
import { expect, test } from 'vitest'
import { endsOf, rangeOf, rangeText } from './ranges'
import { opens, runText, withNonce, type Run } from './runs'

const run: Run = {
  id: 1,
  reportId: 2,
  state: 'done',
  progress: 100,
  createdOn: 1000,
  startedOn: 1001,
  endedOn: 1003,
  size: 2048,
  rows: 1,
  format: 'HTML',
  error: '',
  userName: 'admin',
  scheduled: false,
  note: '',
  pages: 0,
}

test('the result of a run is one line', () => {
  expect(runText(run)).toMatch(/^1 row · 2(\.0)? KB · in 2 s$/i)
  expect(runText({ ...run, endedOn: 1001 })).toMatch(/ · in under a second$/)
  expect(runText({ ...run, state: 'running', progress: 40, rows: 1200 })).toBe(`40 % · ${number(1200)} rows so far`)
  expect(runText({ ...run, state: 'failed', error: 'the disk is full' })).toBe('the disk is full')
  expect([opens(run), opens({ ...run, format: 'PDF' }), opens({ ...run, state: 'running' })]).toEqual([
    true,
    false,
    false,
  ])
})

test('only styles of a report get the nonce of the page, and it cannot be injected', () => {
  expect(withNonce('<style>a{}</style><p>style</p><styled>', 'AB2')).toBe(
    '<style nonce="AB2">a{}</style><p>style</p><styled>',
  )
  expect(withNonce('<style>', '"><script>')).toBe('<style nonce="script">')
})

test('a period between two days round-trips', () => {
  expect(endsOf('2026-01-01 00:00 to 2026-01-31 23:59')).toEqual({ from: '2026-01-01', to: '2026-01-31' })
  expect(endsOf(rangeOf('2026-01-01', '2026-01-02'))).toEqual({ from: '2026-01-01', to: '2026-01-02' })
  expect([
    rangeText('last 7 DAYS'),
    rangeText(''),
    rangeText('2026-01-01 TO 2026-01-01'),
    rangeText('Last 3 weeks'),
  ]).toEqual(['Last 7 days', 'Last 24 hours', '2026-01-01', 'Last 3 weeks'])
})

test('a report names the time zone of its schedule and times', () => {
  const row = {
    id: 1,
    name: 'Availability',
    type: 'Alert SLA',
    dateRange: 'Last 30 days',
    format: 'PDF',
    schedule: '0 6 1 * *',
    scheduleTimezone: 'Asia/Kolkata',
    nextGenerateOn: Date.UTC(2026, 11, 1, 0, 30) / 1000,
  }
  const cell = (r: Row) => asCell(kind.columns.find((c) => c.id === 'schedule')!.cell(r)).text
  const schedule = `On the 1st of each month at ${timeOfDay(6, 0)}`
  expect([cell(row), cell({ ...row, scheduleTimezone: '' })]).toEqual([`${schedule}, Asia/Kolkata`, schedule])
  expect(Object.fromEntries(kind.facts!(row))).toMatchObject({
    Schedule: `${schedule}, Asia/Kolkata`,
    'Next run': weekdayMoment(Date.UTC(2026, 11, 1, 0, 30), 'Asia/Kolkata'),
    'Time zone': 'Asia/Kolkata',
  })
  expect(Object.fromEntries(kind.facts!({ ...row, scheduleTimezone: '' }))).toMatchObject({
    Schedule: schedule,
    'Next run': zoned(row.nextGenerateOn),
    'Time zone': 'portal time zone',
  })
})
