import { expect, test } from 'vitest'
import { columnKeys, columnName, condition, hintOf, ownKey, widthFor, withCondition } from './cells'

test('a column id is dotted keys with escapes', () => {
  expect(['a', 'a.b', 'a\\.b', 'a\\\\.b', '', '\\$'].map(columnKeys)).toEqual([
    ['a'],
    ['a', 'b'],
    ['a.b'],
    ['a\\', 'b'],
    [''],
    ['$'],
  ])
  expect(['a.b', '$', ''].map(columnName)).toEqual(['a.b', 'value', '""'])
  expect(['id', 'a.b', '$'].map(ownKey)).toEqual(['id', '', ''])
})

test('epochs and severities are explained', () => {
  const cell = (text: string) => ({ node: 0, kind: 'number' as const, text })
  expect(hintOf('severity', cell('4'))).toBe('critical')
  expect(hintOf('severity', cell('9'))).toBe('')
  expect(hintOf('createdOn', cell('1790000000'))).toMatch(/2026/)
  expect(hintOf('id', cell('1790000000'))).toBe('')
})

test('a condition quotes text and keeps numbers bare', () => {
  expect(condition('id', '>', '7', 'number')).toBe('id>7')
  expect(condition('id', ':', '7 or so', 'number')).toBe('id:"7 or so"')
  expect(condition('name', '~', 'a"b\\', 'string')).toBe('name~"a\\"b\\\\"')
  expect(condition('up', ':', 'true', 'boolean')).toBe('up:true')
})

test('a condition is added once to every alternative of a filter', () => {
  expect(withCondition('', 'id>7')).toBe('id>7')
  expect(withCondition('a:1', 'id>7')).toBe('a:1,id>7')
  expect(withCondition('a:"x||y" || b:2', 'id>7')).toBe('a:"x||y",id>7||b:2,id>7')
  expect(withCondition('a:1,id>7', 'id>7')).toBe('a:1,id>7')
})

test('a column is as wide as its name and cells, within limits', () => {
  expect(widthFor('id', ['1'])).toBe(72)
  expect(widthFor('displayName', ['x'.repeat(400)])).toBe(320)
})
