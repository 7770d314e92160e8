import { expect, test } from 'vitest'
import type { Endpoint } from '../../client'
import { emptyDraft } from '../request/draft.svelte'
import { openerFor } from './opener'

const endpoint = ([path, noun]: string[]) =>
  ({
    id: `GET ${path}`,
    method: 'GET',
    path,
    noun,
    params: [...path.matchAll(/\{(\w+)\}/g)].map((m) => ({ name: m[1], in: 'path' })),
    example: { path, query: [], body: null },
  }) as unknown as Endpoint

const catalog = [
  ['/device/devices', 'device'],
  ['/device/devices/{id}', 'device'],
  ['/device/groups/{id}', 'device group'],
  ['/report/groups/{id}', 'report group'],
  ['/setting/collectors/{id}', 'collector'],
  ['/setting/collectors/groups/{id}', 'collector group'],
  ['/device/devices/{deviceId}/properties', 'property'],
  ['/device/devices/{deviceId}/properties/{name}', 'property'],
  ['/device/devices/{deviceId}/instances', 'instance'],
  ['/device/devices/{deviceId}/instances/{id}', 'instance'],
  ['/device/groups/{id}/devices', 'device'],
  ['/sdt/devices/{id}', 'maintenance window'],
].map(endpoint)
function at(path: string) {
  return catalog.find((e) => e.path === path)
}

const described = [{ name: 'id' }, { name: 'displayName' }]
Object.assign(at('/device/devices/{id}')!, { answer: { properties: described } })
Object.assign(at('/device/groups/{id}/devices')!, {
  answer: { properties: [{ name: 'items', items: { properties: described } }] },
})

function opened(key: string, value: string, list: string, path = list, params: [string, string][] = [], own = true) {
  const data = { ...emptyDraft(), path, pathParams: params.map(([k, v]) => ({ on: true, key: k, value: v })) }
  const found = openerFor(key, value, own, { endpoint: at(list), data }, catalog)
  return (
    found && `${found.noun} ${found.draft.path} ${found.draft.pathParams.map((p) => `${p.key}=${p.value}`).join(' ')}`
  )
}

test('an id opens what it names', () => {
  expect(opened('id', '7', '/device/devices')).toBe('device /device/devices/{id} id=7')
  expect(
    opened('id', '7', '/device/devices/{deviceId}/instances', '/device/devices/{deviceId}/instances', [
      ['deviceId', '42'],
    ]),
  ).toBe('instance /device/devices/{deviceId}/instances/{id} deviceId=42 id=7')
  expect(opened('id', '7', '/device/devices/{deviceId}/instances', '/device/devices/42/instances?size=1')).toBe(
    'instance /device/devices/42/instances/{id} id=7',
  )
  expect(opened('deviceId', '7', '/report/groups/{id}')).toBe('device /device/devices/{id} id=7')
  expect(opened('deviceGroupId', '7', '/report/groups/{id}')).toBe('device group /device/groups/{id} id=7')
  expect(opened('monitorObjectId', '7', '/report/groups/{id}')).toBe('device /device/devices/{id} id=7')
  expect(opened('hostGroupIds', '12', '/device/devices')).toBe('device group /device/groups/{id} id=12')
  expect(opened('preferredCollectorId', '3', '/device/devices')).toBe('collector /setting/collectors/{id} id=3')
})

test('the id of the requested object opens it, also from other lists of the same objects', () => {
  expect(opened('id', '7', '/device/devices/{id}', '/device/devices/{id}', [['id', '7']])).toBe(
    'device /device/devices/{id} id=7',
  )
  expect(opened('id', '7', '/device/groups/{id}/devices', '/device/groups/1/devices')).toBe(
    'device /device/devices/{id} id=7',
  )
})

test('an unknown id opens nothing', () => {
  expect(opened('name', '7', '/device/devices')).toBe(undefined)
  expect(opened('id', '7', '/device/devices', '/device/devices', [], false)).toBe(undefined)
  expect(opened('hostGroupIds', '12,48', '/device/devices')).toBe(undefined)
  expect(opened('deviceId', '0', '/device/devices')).toBe(undefined)
  expect(opened('relatedDeviceId', '-1', '/device/devices')).toBe(undefined)
  expect(opened('deviceId', '7/../8', '/device/devices')).toBe(undefined)
  expect(opened('walrusId', '7', '/device/devices')).toBe(undefined)
})
