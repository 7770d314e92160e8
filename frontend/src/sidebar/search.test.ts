import { expect, test } from 'vitest'
import { conditions, hits, noFilter, pastQuery } from './search'

const now = new Date(2026, 10, 21, 15, 30).getTime()

test('methods and status classes are filters', () => {
  expect(pastQuery('POST 4xx web-01 404', noFilter(), now)).toEqual({ method: 'POST', status: 4, words: 'web-01 404' })
  expect(pastQuery('get 4xx', { ...noFilter(), method: 'PUT', status: '0' }, now)).toEqual({
    method: 'PUT',
    status: 0,
    words: 'get 4xx',
  })
  expect(pastQuery('  ', noFilter(), now)).toEqual({})
})

test('a date is a whole day in local time', () => {
  const day = (d: number) => new Date(2026, 10, d).getTime()
  expect(pastQuery('', { ...noFilter(), when: 'today' }, now)).toEqual({ from: day(21) })
  expect(pastQuery('', { ...noFilter(), when: 'yesterday' }, now)).toEqual({ from: day(20), to: day(21) })
  expect(pastQuery('', { ...noFilter(), when: 'week' }, now)).toEqual({ from: day(15) })
  expect(pastQuery('', { ...noFilter(), when: 'range', since: '2026-11-03', until: '2026-11-04' }, now)).toEqual({
    from: day(3),
    to: day(5),
  })
  expect(conditions({ ...noFilter(), when: 'range', pinned: true })).toBe(2)
})

test('hits are where a word begins', () => {
  expect(hits('/device/devices/7', 'dev 7')).toEqual([
    { text: '/', hit: false },
    { text: 'dev', hit: true },
    { text: 'ice/', hit: false },
    { text: 'dev', hit: true },
    { text: 'ices/', hit: false },
    { text: '7', hit: true },
  ])
  expect(hits('a(b', '(')).toEqual([{ text: 'a(b', hit: false }])
  expect(hits('name core-sw-01.fra', 'core-sw')).toEqual([
    { text: 'name ', hit: false },
    { text: 'core-sw', hit: true },
    { text: '-01.fra', hit: false },
  ])
  expect(hits('a.b axb', 'a.b')).toEqual([
    { text: 'a.b', hit: true },
    { text: ' axb', hit: false },
  ])
})
