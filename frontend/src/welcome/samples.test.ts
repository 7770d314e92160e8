import { expect, test } from 'vitest'
import type { Endpoint } from '../client'
import { sampleDraft, samples } from './samples'

const endpoint: Endpoint = {
  id: 'GET /device/devices',
  method: 'GET',
  path: '/device/devices',
  category: 'Devices',
  summary: 'List devices',
  noun: 'device',
  doc: '',
  permission: '',
  admin: false,
  deprecated: false,
  params: ['size', 'offset', 'fields', 'sort', 'filter'].map((name) => ({
    name,
    in: 'query',
    type: 'string',
    required: false,
    doc: `the ${name}`,
  })),
  body: null,
  status: 200,
  errors: [],
  example: { path: '/device/devices', query: [], body: null },
  answer: {
    type: 'object',
    properties: [
      {
        name: 'items',
        type: 'array',
        items: {
          type: 'object',
          properties: [
            { name: 'id', type: 'integer' },
            { name: 'displayName', type: 'string' },
          ],
        },
      },
    ],
  },
}

test('the samples request devices, alerts, groups, data and DataSources, and announce downtime', () => {
  expect(samples.map((s) => `${s.method} ${s.path}`)).toEqual([
    'GET /device/devices',
    'GET /alert/alerts',
    'GET /device/groups',
    'GET /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}/data',
    'GET /setting/datasources',
    'POST /sdt/sdts',
  ])
})

test('a sample fills the rows it needs and keeps the endpoint’s others switched off', () => {
  const draft = sampleDraft(samples[0], endpoint)
  expect(draft.query).toEqual([
    { on: true, key: 'filter', value: 'hostStatus:"dead"', doc: 'the filter' },
    { on: true, key: 'fields', value: 'id,displayName', doc: 'the fields' },
    { on: true, key: 'sort', value: '+displayName', doc: 'the sort' },
    { on: true, key: 'size', value: '50', doc: 'the size' },
    { on: false, key: 'offset', value: '', doc: 'the offset' },
  ])
  expect(draft.template).toBe('/device/devices')
})

test('a sample works before the catalog is there', () => {
  const draft = sampleDraft(samples[5], undefined)
  expect([draft.method, draft.path, JSON.parse(draft.body).duration]).toEqual(['POST', '/sdt/sdts', 60])
})
