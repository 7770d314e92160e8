import { describe, expect, test } from 'vitest'
import type { DocRow } from '../../client'
import { highlight, jsonLines, link, note, previewTokens, valueTokens, variableName } from './tokens'

const row = (more: Partial<DocRow>): DocRow => ({
  node: 1,
  line: 1,
  depth: 1,
  kind: 'string',
  count: 0,
  open: false,
  comma: false,
  ...more,
})
const plain = (r: DocRow) =>
  valueTokens(r)
    .map((t) => t.text)
    .join('')

describe('the text of a row', () => {
  for (const [name, r, want] of [
    ['an open array shows its bracket', { kind: 'array', count: 50, open: true }, '['],
    ['a closed array shows that there is more', { kind: 'array', count: 14, open: false }, '[ … ]'],
    ['an empty object is closed at once', { kind: 'object', count: 0 }, '{}'],
    [
      'a closed object shows its preview',
      { kind: 'object', count: 3, open: false, preview: '{ id: 7, … }' },
      '{ id: 7, … }',
    ],
    ['a long number stays as it was sent', { kind: 'number', text: '9223372036854775807' }, '9223372036854775807'],
    ['a cut text ends in dots', { kind: 'string', text: 'abc', cut: true }, '"abc…"'],
    ['a text keeps its escapes', { kind: 'string', text: 'a "b"\n' }, '"a \\"b\\"\\n"'],
    ['an end row has its comma', { kind: 'end', comma: true }, '},'],
    ['an array ends in its own bracket', { kind: 'end', of: 'array' }, ']'],
  ] as [string, Partial<DocRow>, string][])
    test(name, () => expect(plain(row(r))).toBe(want))
})

test('hand-written JSON is highlighted line by line without changes', () => {
  const text = '{\n  "name": "a: \\"b\\"",\n  "tags": [1, null]\n}'
  const lines = jsonLines(text)
  expect(lines.map((line) => line.map((t) => t.text).join('')).join('\n')).toBe(text)
  expect(lines.map((line) => line.filter((t) => t.class !== 'punctuation').map((t) => `${t.class} ${t.text}`))).toEqual(
    [[], ['name "name"', 'string "a: \\"b\\""'], ['name "tags"', 'number 1', 'keyword null'], []],
  )
})

test('a preview is coloured', () => {
  expect(previewTokens('{ id: 7, "up": true, name: "a: b" }').filter((t) => t.class !== 'p')).toEqual([
    { class: 'k', text: 'id' },
    { class: 'n', text: '7' },
    { class: 'k', text: '"up"' },
    { class: 'bo', text: 'true' },
    { class: 'k', text: 'name' },
    { class: 's', text: '"a: b"' },
  ])
})

test('notes count children', () => {
  expect(note(row({ kind: 'array', count: 1, open: true }))).toBe('1 item')
  expect(note(row({ kind: 'array', count: 50, open: true }))).toBe('50 items')
  expect(note(row({ kind: 'object', hint: 'core-sw-01.fra', open: true, count: 9 }))).toBe('core-sw-01.fra')
})

test('only whole http and https addresses are links', () => {
  expect(link(row({ text: 'https://example.net/a?b=1' }))).toBe('https://example.net/a?b=1')
  for (const text of ['javascript:alert(1)', 'see https://example.net', 'ftp://example.net', 'https://a b'])
    expect(link(row({ text }))).toBe('')
  expect(link(row({ kind: 'number', text: '1' }))).toBe('')
})

test('highlight marks every place', () => {
  expect(highlight('aXbx', 'x', false)).toEqual([
    { text: 'a', hit: false },
    { text: 'X', hit: true },
    { text: 'b', hit: false },
    { text: 'x', hit: true },
  ])
  expect(highlight('aXbx', 'x', true).filter((p) => p.hit)).toHaveLength(1)
})

test('a variable is named after its value', () => {
  for (const [path, request, want] of [
    ['$.items[0].id', '/device/devices', 'deviceId'],
    ['$.id', '/device/devices/42', 'deviceId'],
    ['$.id', '/report/categories', 'categoryId'],
    ['$.items[3].displayName', '/device/devices', 'displayName'],
    ['$.items[0].customProperties[1].name', '/device/devices', 'customPropertyName'],
    ['$["snmp.version"]', '/x', 'snmpVersion'],
    ['$[0]', '/x', 'value'],
  ])
    expect(variableName(path, request)).toBe(want)
})
