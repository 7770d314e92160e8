import { describe, expect, test } from 'vitest'
import type { Schema } from '../client'
import { withField } from './insert'

const text: Schema = { type: 'string', example: 'x' }

describe('inserting a field into a body', () => {
  for (const [name, body, path, want] of [
    ['an empty object gets its first field', '{}', ['name'], '{\n  "name": "x"\n}'],
    ['a field goes behind the others', '{\n  "a": 1\n}', ['b'], '{\n  "a": 1,\n  "b": "x"\n}'],
    ['a field that is there stays as it is', '{"name": "mine"}', ['name'], '{"name": "mine"}'],
    [
      'long numbers stay as they were typed',
      '{"id": 12345678901234567890}',
      ['b'],
      '{"id": 12345678901234567890,\n  "b": "x"}',
    ],
    ['objects on the way are made', '{}', ['auto', 'name'], '{\n  "auto": {\n    "name": "x"\n  }\n}'],
    ['objects on the way are used', '{"auto": {"a": "}"}}', ['auto', 'b'], '{"auto": {"a": "}",\n    "b": "x"}}'],
    [
      'the first item of a list is used',
      '{"list": [{"a": 1}, {}]}',
      ['list', 'b'],
      '{"list": [{"a": 1,\n    "b": "x"}, {}]}',
    ],
    ['a broken body is left alone', '{"a": ', ['b'], undefined],
    ['a body that is no object is left alone', '"text"', ['b'], undefined],
  ] as [string, string, string[], string | undefined][])
    test(name, () => {
      expect(withField(body, path, text)).toBe(want)
      if (want) JSON.parse(want)
    })
})
