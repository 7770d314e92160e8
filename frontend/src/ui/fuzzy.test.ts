import { describe, expect, test } from 'vitest'
import { pieces, rank } from './fuzzy'

const paths = [
  '/device/devices',
  '/device/devices/{id}',
  '/device/groups',
  '/setting/admins/{id}/apitokens',
  '/setting/version',
  '/report/reports',
]
const found = (query: string) => rank(query, paths, (p) => p).map((r) => r.item)

describe('rank', () => {
  test('an empty query keeps everything in order', () => {
    expect(found('')).toEqual(paths)
  })

  test('all words must match, in any order', () => {
    expect(found('devices device')).toEqual(['/device/devices', '/device/devices/{id}'])
    expect(found('version device')).toEqual([])
  })

  test('a whole word ranks above a prefix', () => {
    expect(rank('report', ['/report/reports', '/reporting'], (p) => p)[0].item).toBe('/report/reports')
  })

  test('initials match a path', () => {
    expect(found('dedev')[0]).toBe('/device/devices')
    expect(found('sv')[0]).toBe('/setting/version')
  })

  test('the letter case of the query does not matter', () => {
    expect(found('API')).toEqual(['/setting/admins/{id}/apitokens'])
  })

  test('scattered letters are no match', () => {
    expect(found('gzq')).toEqual([])
    expect(found('eds')).not.toContain('/setting/admins/{id}/apitokens')
  })

  test('the first field has the highest weight', () => {
    const items = [
      { path: '/device/groups', doc: 'holds devices' },
      { path: '/device/devices', doc: '' },
    ]
    expect(rank('devices', items, (i) => [i.path, i.doc]).map((r) => r.item.path)).toEqual([
      '/device/devices',
      '/device/groups',
    ])
  })

  test('the matched letters of each field are returned', () => {
    const [hit] = rank('api open', ['Open API Explorer'], (t) => [t, ''])
    expect(hit.marks).toEqual([[0, 1, 2, 3, 5, 6, 7], []])
  })

  test('the right one is found among 500 similar ones', () => {
    const doc = 'Returns the devices this account can see, one page at a time, with their properties. '.repeat(6)
    const many = Array.from({ length: 500 }, (_, i) => [`/device/devices/{id}/things${i}`, `List things ${i}`, doc])
    const hits = rank('dev things499 prop', many, (t) => t).map((r) => r.item[0])
    expect(hits).toEqual(['/device/devices/{id}/things499'])
  })
})

test('pieces cut a text at the edges of its matches', () => {
  expect(pieces('Open API', [5, 6, 7])).toEqual([
    { text: 'Open ', hit: false },
    { text: 'API', hit: true },
  ])
  expect(pieces('abc', [0, 2])).toEqual([
    { text: 'a', hit: true },
    { text: 'b', hit: false },
    { text: 'c', hit: true },
  ])
  expect(pieces('abc', [])).toEqual([{ text: 'abc', hit: false }])
})

test('the end of a path ranks above its middle', () => {
  expect(rank('devices', ['/device/devices/batch', '/device/devices'], (p) => p)[0].item).toBe('/device/devices')
})

test('words that are not a path are not ranked by their end', () => {
  expect(rank('api', ['API Explorer', 'Toggle Monitor and API'], (t) => t)[0].item).toBe('API Explorer')
})

test('an exact match of several words ranks above scattered words', () => {
  const found = rank(
    'add a device',
    [
      ['/device/groups/{id}/add', 'Add a group of a device'],
      ['/device/devices', 'Add a device'],
    ],
    (e) => e,
  )
  expect(found.map((f) => f.item[0])).toEqual(['/device/devices', '/device/groups/{id}/add'])
  const near = rank(
    'add device',
    [
      ['/device/groups', 'Add a device group'],
      ['/device/devices', 'Add a device'],
    ],
    (e) => e,
  )
  expect(near.map((f) => f.item[0])).toEqual(['/device/devices', '/device/groups'])
})
