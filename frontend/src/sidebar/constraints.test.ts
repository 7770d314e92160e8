import { expect, test } from 'vitest'
import { constraints } from './constraints'

test('constraints are shown in words', () => {
  expect(constraints({ minimum: 1, maximum: 1000, default: 50 })).toBe('1 to 1,000, default 50')
  expect(constraints({ minimum: 0 })).toBe('at least 0')
  expect(constraints({ maxLength: 255, format: 'email' })).toBe('up to 255 characters, email')
  expect(constraints({ default: '' })).toBe('')
})
