import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Schema } from '../client'
import { check } from './check'
import { parse } from '../state/request/json'
import { pretty } from './pretty'

const schema: Schema = {
  type: 'object',
  properties: [
    { name: 'id', type: 'integer', readOnly: true },
    { name: 'name', type: 'string', required: true, maxLength: 5 },
    { name: 'severity', type: 'integer', minimum: 2, maximum: 4 },
    { name: 'kind', type: 'string', enum: ['a', 'b'] },
    { name: 'on', type: 'boolean' },
    {
      name: 'pairs',
      type: 'array',
      items: {
        type: 'object',
        properties: [
          { name: 'name', type: 'string', required: true },
          { name: 'value', type: 'string' },
        ],
      },
    },
  ],
}

test.each([
  ['{"name":"x"}', []],
  ['{"name":"{{long variable}}","severity":{{s}}}', []],
  ['{}', ['0 error name is required']],
  ['{"name":"x","nam":1}', ['12 error no field “nam”; did you mean name?']],
  ['{"name":"x","zzzzzz":1}', ['12 error no field “zzzzzz”']],
  ['{"name":7}', ['8 error name needs a string, not a number']],
  ['{"name":"x","severity":"3"}', ['23 error severity needs a whole number, not a string']],
  ['{"name":"x","severity":3.5}', ['23 error severity needs a whole number, not 3.5']],
  ['{"name":"x","severity":5}', ['23 error severity must be at most 4']],
  ['{"name":"toolong"}', ['8 error name has 7 characters; the maximum is 5']],
  ['{"name":"x","kind":"c"}', ['19 error kind must be one of a, b']],
  ['{"name":"x","on":null}', ['17 error on needs true or false, not null']],
  ['{"name":"x","id":1}', ['12 info id is set by the portal; your value is ignored']],
  ['{"name":"x","name":"y"}', ['12 warning Duplicate key “name”: the portal rejects it']],
  ['{"name":"x","pairs":[{"value":"v"}]}', ['21 error name is required in pairs[0]']],
  ['[]', ['0 error the body needs an object, not an array']],
])('%s', (text, want) => {
  const { root } = parse(text)
  expect(check(text, root!, schema, true).map((f) => `${f.from} ${f.severity} ${f.message}`)).toEqual(want)
})

test('a PATCH can omit required fields', () => {
  expect(check('{}', parse('{}').root!, schema, false)).toEqual([])
})

test('formatting JSON changes only whitespace', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const out = pretty(text)
      expect(JSON.parse(out)).toEqual(JSON.parse(text))
      expect(pretty(out)).toBe(out)
      expect(out.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (t) => (t[0] === '"' ? t : ''))).toBe(
        text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (t) => (t[0] === '"' ? t : '')),
      )
    }),
  )
})

test('numbers keep their spelling, and {{variables}} their place', () => {
  expect(pretty('{"a":1.50,"b":{{ size }},"c":[],"d":{"e":[1e3,9007199254740993]}}')).toBe(`{
  "a": 1.50,
  "b": {{ size }},
  "c": [],
  "d": {
    "e": [
      1e3,
      9007199254740993
    ]
  }
}`)
})
