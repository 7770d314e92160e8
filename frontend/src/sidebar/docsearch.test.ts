import { expect, test } from 'vitest'
import type { Schema } from '../client'
import { schemaWith, writable } from './docsearch'

const schema: Schema = {
  type: 'object',
  properties: [
    { name: 'name', type: 'string', doc: 'Host name or IP address' },
    {
      name: 'tags',
      type: 'array',
      items: {
        type: 'object',
        properties: [
          { name: 'key', type: 'string' },
          { name: 'value', type: 'string' },
        ],
      },
    },
    { name: 'owner', type: 'object', properties: [{ name: 'mail', type: 'string' }] },
    { name: 'ids', type: 'array', items: { type: 'integer' } },
  ],
}

test('a field is found by name or description, with its parents', () => {
  expect(schemaWith('address host', schema)?.properties?.map((p) => p.name)).toEqual(['name'])
  expect(schemaWith('VALUE', schema)).toEqual({
    type: 'object',
    properties: [
      { name: 'tags', type: 'array', items: { type: 'object', properties: [{ name: 'value', type: 'string' }] } },
    ],
  })
})

test('a matching field keeps its children', () => {
  expect(schemaWith('owner', schema)?.properties).toEqual([schema.properties![2]])
})

test('no match gives nothing, and no query gives everything', () => {
  expect(schemaWith('zzz', schema)).toBeUndefined()
  expect(schemaWith(' ', schema)).toBe(schema)
  expect(schemaWith('x', null)).toBeUndefined()
})

test('a body has no read-only fields at any depth', () => {
  const properties = [
    { name: 'id', type: 'integer' as const, readOnly: true },
    { name: 'name', type: 'string' as const },
    { name: 'owner', type: 'object' as const, properties: [{ name: 'hash', type: 'string' as const, readOnly: true }] },
    {
      name: 'tags',
      type: 'array' as const,
      items: { type: 'object' as const, properties: [{ name: 'on', type: 'string' as const, readOnly: true }] },
    },
  ]
  expect(writable<Schema>({ type: 'object', properties })).toEqual({
    type: 'object',
    properties: [
      { name: 'name', type: 'string' },
      { name: 'owner', type: 'object', properties: [] },
      { name: 'tags', type: 'array', items: { type: 'object', properties: [] } },
    ],
  })
})
