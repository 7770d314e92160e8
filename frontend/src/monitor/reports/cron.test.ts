import { expect, test } from 'vitest'
import { timeOfDay } from '../../ui/locale'
import { cronOf, planOf, scheduleText } from './cron'

test.each([
  ['', 'On demand'],
  ['0 7 * * *', 'Every day at 07:00'],
  ['30 6 * * 1-5', 'Monday to Friday at 06:30'],
  ['15 7 * * mon', 'Mondays at 07:15'],
  ['0 0 * * 0', 'Sundays at 00:00'],
  ['0 6 1 * *', 'On the 1st of each month at 06:00'],
  ['0 6 22 * *', 'On the 22nd of each month at 06:00'],
  ['0 8 1 1,4,7,10 *', 'At 08:00 on the 1st in January, April, July and October'],
  ['0 9,17 * * *', 'At 09:00 and 17:00'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['0 7 13 * 5', 'At 07:00 on the 13th or on Friday'],
  ['0 7 31 * *', 'At 07:00 on the 31st'],
  ['@daily', '@daily'],
  ['0 7 * *', '0 7 * *'],
])('the schedule %j is described as %j', (cron, text) =>
  expect(scheduleText(cron)).toBe(
    text.replace(/(\d\d):(\d\d)/g, (_, h: string, m: string) => timeOfDay(Number(h), Number(m))),
  ),
)

test('a common schedule round-trips through cron', () => {
  for (const cron of ['0 7 * * *', '5 23 * * 1-5', '59 0 * * 6', '0 6 28 * *']) expect(cronOf(planOf(cron))).toBe(cron)
  expect(planOf('0 7 29 * *').rhythm).toBe('own')
  expect(planOf('61 7 * * *').rhythm).toBe('own')
  expect(cronOf(planOf(''))).toBe('')
})
