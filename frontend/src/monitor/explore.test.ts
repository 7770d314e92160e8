import { expect, test } from 'vitest'
import { address } from '../client/call'
import { draftOfCall } from './explore'
import { emptyDraft } from '../state/request/draft.svelte'

test('a call has a path and opens as a draft', () => {
  const call = {
    method: 'GET',
    path: '/device/devices/{id}/alerts',
    params: { id: 7 },
    query: { size: 5, filter: 'severity:4', sort: undefined },
  } as const
  expect(address(call)).toBe('/device/devices/7/alerts?size=5&filter=severity%3A4')
  const known = {
    ...emptyDraft(),
    query: [
      { on: true, key: 'size', value: '50', doc: 'Items' },
      { on: true, key: 'offset', value: '0' },
    ],
  }
  expect(draftOfCall(call, known)).toEqual({
    ...emptyDraft(),
    path: '/device/devices/{id}/alerts',
    template: '/device/devices/{id}/alerts',
    pathParams: [{ on: true, key: 'id', value: '7' }],
    query: [
      { on: true, key: 'size', value: '5', doc: 'Items' },
      { on: false, key: 'offset', value: '0' },
      { on: true, key: 'filter', value: 'severity:4' },
    ],
  })
  expect(
    draftOfCall({ method: 'POST', path: '/alert/alerts/{id}/ack', params: { id: 3 }, body: { ackComment: 'mine' } })
      .body,
  ).toBe('{\n  "ackComment": "mine"\n}')
})
