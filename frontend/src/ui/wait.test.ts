import { expect, test } from 'vitest'
import { wait } from './wait'

test('a wait of more than two minutes is given in minutes, and of an hour in hours', () => {
  expect([0, 0.2, 5, 65, 120, 121, 600, 725, 3599].map(wait)).toEqual([
    '0 s',
    '1 s',
    '5 s',
    '65 s',
    '120 s',
    '2 min 1 s',
    '10 min',
    '12 min 5 s',
    '59 min 59 s',
  ])
  expect([3600, 3601, 7140, 86_400].map(wait)).toEqual(['1 h', '1 h 1 min', '1 h 59 min', '24 h'])
})
