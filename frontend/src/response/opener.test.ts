import { expect, test } from 'vitest'
import type { Endpoint } from '../client'
import { emptyDraft } from '../request/draft.svelte'
import { openerFor } from './opener'

const endpoint = (path: string) => ({
  id: `GET ${path}`, method: 'GET', path, params: [...path.matchAll(/\{(\w+)\}/g)].map((m) => ({ name: m[1], in: 'path' })), example: { path, query: [], body: null, lines: [] },
}) as unknown as Endpoint

const catalog = ['/device/devices', '/device/devices/{id}', '/device/groups/{id}', '/report/groups/{id}', '/setting/collectors/{id}', '/setting/collectors/groups/{id}', '/device/devices/{deviceId}/properties', '/device/devices/{deviceId}/properties/{name}', '/device/devices/{deviceId}/instances', '/device/devices/{deviceId}/instances/{id}'].map(endpoint)
const at = (path: string) => catalog.find((e) => e.path === path)

function opened(key: string, value: string, list: string, path = list, params: [string, string][] = []) {
  const data = { ...emptyDraft(), path, pathParams: params.map(([k, v]) => ({ on: true, key: k, value: v })) }
  const found = openerFor(key, value, { endpoint: at(list), data }, catalog)
  return found && `${found.noun} ${found.draft.path} ${found.draft.pathParams.map((p) => `${p.key}=${p.value}`).join(' ')}`
}

test('an id opens what it names', () => {
  expect(opened('id', '7', '/device/devices')).toBe('device /device/devices/{id} id=7')
  expect(opened('id', '7', '/device/devices/{deviceId}/instances', '/device/devices/{deviceId}/instances', [['deviceId', '42']])).toBe('instance /device/devices/{deviceId}/instances/{id} deviceId=42 id=7')
  expect(opened('id', '7', '/device/devices/{deviceId}/instances', '/device/devices/42/instances?size=1')).toBe('instance /device/devices/42/instances/{id} id=7')
  expect(opened('deviceId', '7', '/report/groups/{id}')).toBe('device /device/devices/{id} id=7')
  expect(opened('deviceGroupId', '7', '/report/groups/{id}')).toBe('group /device/groups/{id} id=7')
  expect(opened('preferredCollectorId', '3', '/device/devices')).toBe('collector /setting/collectors/{id} id=3')
})

test('what is no id of a known thing opens nothing', () => {
  expect(opened('name', '7', '/device/devices')).toBe(undefined)
  expect(opened('deviceId', '0', '/device/devices')).toBe(undefined)
  expect(opened('deviceId', '7/../8', '/device/devices')).toBe(undefined)
  expect(opened('walrusId', '7', '/device/devices')).toBe(undefined)
})
