import { describe, expect, test } from 'vitest'
import { aboutText, duration, fileName, size, statusText, tone } from './status'

describe('statusText', () => {
  const reply = { status: 200, statusText: 'OK', ms: 12, bytes: 18432, items: 50 as number | null }
  for (const [name, change, want] of [
    ['a list tells its items', {}, '200 OK · 12 ms · 18432 B · 50 items'],
    ['one item is no plural', { items: 1 }, '200 OK · 12 ms · 18432 B · 1 item'],
    ['an empty list says so', { items: 0 }, '200 OK · 12 ms · 18432 B · 0 items'],
    ['an object has no items', { status: 201, statusText: 'Created', items: null }, '201 Created · 12 ms · 18432 B'],
    ['an unnamed status is its number', { status: 499, statusText: '', items: null }, '499 · 12 ms · 18432 B'],
    [
      'one that is missing from the history says so',
      { items: null, notKept: 'This request is not in the history: the disk is full.' },
      '200 OK · 12 ms · 18432 B · not in history',
    ],
    ['parts of a millisecond are rounded', { ms: 12.4, items: null }, '200 OK · 12 ms · 18432 B'],
  ] as const)
    test(name, () => expect(statusText({ ...reply, ...change })).toBe(want))
})

test('sizes and times are short', () => {
  expect([0, 999, 18432, 212_000, 52_428_800].map(size)).toEqual(['0 B', '999 B', '18.4 KB', '212 KB', '52.4 MB'])
  expect([0, 0.34, 0.96, 12.4, 1800, 125_000, 119_600].map(duration)).toEqual([
    '0 ms',
    '0.3 ms',
    '1 ms',
    '12 ms',
    '1.8 s',
    '2 min 5 s',
    '2 min 0 s',
  ])
})

test('the tone of a status', () => {
  expect([200, 204, 302, 404, 429, 500, 0].map(tone)).toEqual(['ok', 'ok', 'ok', 'err', 'warn', 'err', 'err'])
})

test('a non-JSON text shows its type and is saved with it', () => {
  const of = (kind: string, more: object = {}) => ({
    headers: [['Content-Type', kind]] as [string, string][],
    json: false,
    binary: false,
    reading: '',
    ...more,
  })
  for (const [reply, about, file] of [
    [of('text/html; charset=utf-8'), 'HTML, shown as plain text.', 'a-b.html'],
    [of('application/atom+xml'), 'XML, shown as plain text.', 'a-b.txt'],
    [
      of('text/xml', { reading: 'The text is in latin1' }),
      'XML, shown as plain text. The text is in latin1.',
      'a-b.xml',
    ],
    [of('text/csv'), '', 'a-b.csv'],
    [of('image/png', { binary: true, notKept: 'Not kept.' }), 'Not kept.', 'a-b.png'],
    [of('text/xml', { notKept: 'Not kept.' }), 'Not kept. XML, shown as plain text.', 'a-b.xml'],
    [of('text/html', { json: true }), '', 'a-b.json'],
    [of('text/html', { binary: true }), '', 'a-b.html'],
    [
      of('application/json', { json: true, reading: 'The text is in utf-16le' }),
      'The text is in utf-16le.',
      'a-b.json',
    ],
  ] as const)
    expect([aboutText(reply), fileName(reply, '/a/b')]).toEqual([about, file])
})
