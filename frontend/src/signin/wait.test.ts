import { expect, test } from 'vitest'
import { wait } from './wait'

test('the time to wait is told in minutes and seconds', () => {
  expect([5, 60, 65, 600].map(wait)).toEqual(['Try again in 5 s', 'Try again in 1 min', 'Try again in 1 min 5 s', 'Try again in 10 min'])
})
