import { expect, test } from 'vitest'
import type { DocRow } from '../client'
import { scalars } from './helpers'

const row = (depth: number, kind: DocRow['kind'], more: Partial<DocRow> = {}): DocRow => ({ node: 0, line: 0, depth, kind, ...more })

test('a list offers its own values and those of its first item', () => {
  const rows = [
    row(0, 'object', { open: true, count: 2 }),
    row(1, 'number', { key: 'total', text: '3' }),
    row(1, 'array', { key: 'items', open: true, count: 3 }),
    row(2, 'object', { index: 0, open: true, count: 2 }),
    row(3, 'number', { key: 'id', text: '7' }),
    row(3, 'array', { key: 'customProperties', open: true, count: 1 }),
    row(4, 'object', { index: 0, open: true, count: 1 }),
    row(5, 'string', { key: 'snmp.version', text: 'v3' }),
    row(4, 'end'),
    row(3, 'end'),
    row(2, 'end'),
    row(2, 'object', { index: 1, open: true, count: 1 }),
    row(3, 'number', { key: 'id', text: '8' }),
    row(2, 'end'),
    row(1, 'end'),
    row(1, 'null', { key: 'searchId', text: 'null' }),
    row(0, 'end'),
  ]
  expect(scalars(rows).map((s) => [s.path, s.text])).toEqual([
    ['$.total', '3'],
    ['$.items[0].id', '7'],
    ['$.items[0].customProperties[0]["snmp.version"]', 'v3'],
    ['$.searchId', 'null'],
  ])
})

test('a body that is one value is that value', () => {
  expect(scalars([row(0, 'string', { text: 'hello' })]).map((s) => [s.path, s.text])).toEqual([['$', 'hello']])
})
