import { describe, expect, test } from 'vitest'
import { fakeCatalog } from '../fakes/catalog'
import { Catalog, fits, placeholders } from '../state/catalog/catalog.svelte'
import { branches, endAmong, shortPath } from './tree'

async function loaded(data = fakeCatalog) {
  const catalog = new Catalog({ catalog: async () => data })
  await catalog.load()
  return catalog
}

describe('search', () => {
  test.each([
    ['/device/devices', 'GET /device/devices'],
    ['delete devices', 'DELETE /device/devices/{id}'],
    ['get device devices', 'GET /device/devices'],
    ['add device', 'POST /device/devices'],
    ['add dev', 'POST /device/devices'],
    ['create a device', 'POST /device/devices'],
    ['new report', 'POST /report/reports'],
    ['update collector', 'PATCH /setting/collectors/{id}'],
    ['remove device', 'DELETE /device/devices/{id}'],
    ['alerts of one', 'GET /device/devices/{id}/alerts'],
    ['version', 'GET /setting/version'],
    ['add report', 'POST /report/reports'],
    ['patch collectors', 'PATCH /setting/collectors/{id}'],
  ])('%s finds %s first', async (query, first) => {
    expect((await loaded()).search(query)[0].item.id).toBe(first)
  })

  test('reaches field names, and says which', async () => {
    const found = (await loaded()).search('preferredCollectorId')
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map((f) => f.also))).toEqual(new Set(['preferredCollectorId']))
  })

  test('lists every name with its owner', async () => {
    const catalog = await loaded()
    const one = catalog.names.find((n) => n.name === 'preferredCollectorId')
    expect(one?.endpoints.map((e) => e.id)).toEqual(
      catalog
        .search('preferredCollectorId')
        .map((f) => f.item.id)
        .sort(
          (a, b) => catalog.endpoints.findIndex((e) => e.id === a) - catalog.endpoints.findIndex((e) => e.id === b),
        ),
    )
  })

  test('finds the right one among 500, and none without all words', async () => {
    const endpoints = Array.from({ length: 500 }, (_, i) => {
      const e = fakeCatalog.categories[0].endpoints[i % 6]
      return { ...e, id: `${e.id}${i}`, path: `${e.path}/thing${i}` }
    })
    const paths = (await loaded({ categories: [{ name: 'Many', endpoints }] }))
      .search('device thing499')
      .map((r) => r.item.path)
    expect(paths).toEqual([endpoints[499].path])
  })
})

test('a template matches only its own path with ids', () => {
  expect(fits('/device/devices/{id}', '/device/devices/42')).toBe(true)
  expect(fits('/device/devices/{id}', '/device/devices/{{deviceId}}')).toBe(true)
  expect(fits('/device/devices/{id}', '/device/devices')).toBe(false)
  expect(fits('/device/devices/{id}', '/device/groups/42')).toBe(false)
})

test('placeholders are single braces only', () => {
  expect(placeholders('/a/{id}/{{variable}}/{other}/{id}')).toEqual(['id', 'other'])
})

test('collapsed categories show only their count, and favourites come first', async () => {
  const catalog = await loaded()
  const items = branches(catalog, new Set(['Reports']), ['GET /alert/alerts'], [])
  expect(items.slice(0, 2).map((i) => i.key)).toEqual(['-Favourites', 'Favourites GET /alert/alerts'])
  expect(items.filter((i) => i.kind === 'endpoint' && !i.short)).toHaveLength(6)
  expect(items.find((i) => i.key === 'Devices')).toMatchObject({ count: 8, open: false })
})

test.each([
  ['/device/devices', 99, '', '/device/devices'],
  ['/device/devices/{id}', 20, '/device/devices', '/{id}'],
  ['/device/devices/{id}', 19, '…/devices', '/{id}'],
  ['/device/devices/{id}', 14, '…/devices', '/{id}'],
  ['/device/devices/{id}', 13, '…', '/{id}'],
  ['/device/devices/{id}/alerts', 99, '…', '/{id}/alerts'],
  ['/device/devices/{deviceId}/properties', 23, '…', '/{deviceId}/properties'],
  ['/device/devices/{deviceId}/properties', 22, '…', '/properties'],
  ['/device/devices/{id}/scheduleAutoDiscovery', 20, '…', '/sched…utoDiscovery'],
])('%s in %d characters is %s%s', (path, room, head, tail) => {
  expect(shortPath(path, room)).toEqual({ head, tail })
})

test('paths with the same end are distinguished if there is no summary', () => {
  const paths = ['/device/devices/{id}/alerts', '/device/groups/{id}/alerts', '/alert/alerts', '/alerts/{id}/alerts']
  const ends = (room: number) => paths.map((p) => endAmong(p, paths, room))
  expect(ends(40)).toEqual(paths)
  expect(ends(24)).toEqual(['…/devices/{id}/alerts', '…/groups/{id}/alerts', '/alert/alerts', '/alerts/{id}/alerts'])
  expect(ends(18)).toEqual(['devices/…/alerts', 'groups/…/alerts', '/alert/alerts', 'alerts/…/alerts'])
})
