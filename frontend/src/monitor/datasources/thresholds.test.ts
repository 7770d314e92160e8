import { expect, test } from 'vitest'
import { exprOf, limitsOf, severityBy } from './thresholds'

test.each([
  ['> 60 80 90', '>', ['60', '80', '90'], '> 60 80 90'],
  ['> 500 2000', '>', ['500', '2000', ''], '> 500 2000'],
  ['< 1 1 1', '<', ['', '', '1'], '< 1 1 1'],
  ['>= 400 400 500', '>=', ['', '400', '500'], '>= 400 400 500'],
  ['!=0', '!=', ['0', '', ''], '!= 0'],
  ['', '>', ['', '', ''], ''],
])('the threshold %s is limits, and the same threshold again', (expr, op, words, again) => {
  expect(limitsOf(expr)).toEqual({ op, words })
  expect(exprOf({ op, words: words as [string, string, string] })).toBe(again)
})

test('an omitted limit equals the next more severe one', () => {
  expect(exprOf({ op: '>', words: ['5', '', ' 20 '] })).toBe('> 5 20 20')
  expect(exprOf({ op: '<', words: ['', '10', ''] })).toBe('< 10 10')
})

test('the severity of a value matches the portal', () => {
  expect([59, 60, 61, 85, 91].map((v) => severityBy('> 60 80 90', v))).toEqual([0, 0, 2, 3, 4])
  expect([0, 1].map((v) => severityBy('< 1 1 1', v))).toEqual([4, 0])
  expect([severityBy('', 7), severityBy('> x', 7), severityBy('= 1 2 3', 2), severityBy('!= 0', 3)]).toEqual([
    0, 0, 3, 2,
  ])
})
