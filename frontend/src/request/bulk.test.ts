import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromText, pastedRows, toText } from './bulk'

const row = (key: string, value: string, on = true) => ({ on, key, value })

describe('bulk edit', () => {
  test.each([
    ['size: 50', [row('size', '50')]],
    ['# size: 50', [row('size', '50', false)]],
    ['#size:50', [row('size', '50', false)]],
    ['filter: displayName~"a:b"', [row('filter', 'displayName~"a:b"')]],
    ['a: 1\n\na: 2\n', [row('a', '1'), row('a', '2')]],
    ['empty:', [row('empty', '')]],
    ['flag', [row('flag', '')]],
    ['x\\:y: {{v}}', [row('x:y', '{{v}}')]],
    ['note: two\\nlines', [row('note', 'two\nlines')]],
  ])('%j', (text, rows) => {
    expect(fromText(text)).toEqual(rows)
  })

  test('any rows round-trip', () => {
    const any = fc.array(
      fc.record({ on: fc.boolean(), key: fc.string(), value: fc.string({ unit: 'binary', maxLength: 12 }) }),
    )
    fc.assert(
      fc.property(any, (rows) => {
        expect(fromText(toText(rows))).toEqual(rows)
      }),
      { numRuns: 100 },
    )
  }, 30_000)

  test('a description stays with its key', () => {
    expect(fromText('b: 2\na: 1', [{ ...row('a', '0'), doc: 'first' }, row('b', '0')])).toEqual([
      row('b', '2'),
      { ...row('a', '1'), doc: 'first' },
    ])
  })
})

test.each([
  ['Accept: text/csv', [row('Accept', 'text/csv')]],
  [
    'Accept: text/csv\r\n\r\n# X-Path: C:\\new\nX-Empty:\n',
    [row('Accept', 'text/csv'), row('X-Path', 'C:\\new', false), row('X-Empty', '')],
  ],
  ['size\t5\nfilter\tname~"a:b"', [row('size', '5'), row('filter', 'name~"a:b"')]],
  ['?size=5&filter=name~%22a+b%22&flag', [row('size', '5'), row('filter', 'name~"a b"'), row('flag', '')]],
  ['size=5', [row('size', '5')]],
  ['size', undefined],
  ['urn:a:b', undefined],
  ['a name with words', undefined],
  ['first: 1\nno row', undefined],
  ['', undefined],
])('pasted into a name, %j is %j', (text, rows) => {
  expect(pastedRows(text)).toEqual(rows)
})
