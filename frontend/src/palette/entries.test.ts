import { describe, expect, test, vi } from 'vitest'
import type { App } from '../state/app.svelte'
import { requested, Matched, parseQuery, reason, search, upTo, withRecent, type Entry, type Source } from './entries'
import { Results } from './results.svelte'

const entry = (text: string, more: Partial<Entry> = {}): Entry => ({
  id: text,
  text,
  hint: '',
  words: '',
  key: '',
  run: () => {},
  ...more,
})
const source = (group: string, prefixes: string, entries: Entry[]): Source => ({
  group,
  order: 0,
  prefixes,
  most: 8,
  first: 11,
  list: () => entries,
})
const app = { settings: { values: {} } } as App
const all = [
  source('Go to', '>', [entry('API Explorer'), entry('New API Request'), entry('Monitor')]),
  source('Run', '>', [entry('Send Request')]),
  source('Endpoints', '/#', [
    entry('/setting/admins/{id}/apitokens', { words: 'GET Settings' }),
    entry('/device/devices', { words: 'POST Devices', hint: 'Add a device' }),
  ]),
  source('Tabs', '#', [entry('My devices')]),
]
const found = (query: string) =>
  search(all, (s) => s.list!(app), parseQuery(query)).map((s) => [s.group, ...s.entries.map((e) => e.item.text)])

test('typing API offers the explorer and a new request first', () => {
  expect(found('API')).toEqual([
    ['Go to', 'API Explorer', 'New API Request'],
    ['Endpoints', '/setting/admins/{id}/apitokens'],
  ])
})

test('> searches commands, / endpoints, # places', () => {
  expect(found('>')).toEqual([
    ['Go to', 'API Explorer', 'New API Request', 'Monitor'],
    ['Run', 'Send Request'],
  ])
  expect(found('>send')).toEqual([['Run', 'Send Request']])
  expect(found('/dev')).toEqual([['Endpoints', '/device/devices']])
  expect(found('/')).toEqual([['Endpoints', '/setting/admins/{id}/apitokens', '/device/devices']])
  expect(found('#devices')).toEqual([
    ['Endpoints', '/device/devices'],
    ['Tabs', 'My devices'],
  ])
})

test('a method narrows the results', () => {
  expect(found('post dev')).toEqual([['Endpoints', '/device/devices']])
})

test('equal matches are in the order of the sources, regardless of length', () => {
  const both = [
    source('Endpoints', '/', [entry('/device/devices')]),
    source('Docs', '', [entry('devices'), entry('deviceId')]),
  ]
  const groups = (query: string) => search(both, (s) => s.list!(app), parseQuery(query)).map((s) => s.group)
  expect(groups('dev')).toEqual(['Endpoints', 'Docs'])
  expect(groups('deviceId')).toEqual(['Docs'])
})

test('an endpoint as it is written ranks above the docs of it', () => {
  const both = [
    source('Docs', '', [entry('includeDeleted', { hint: 'GET /device/devices' })]),
    source('Endpoints', '/', [entry('/device/devices', { method: 'GET', words: 'GET Devices' })]),
  ]
  const query = parseQuery('get /device/devices')
  expect(search(both, (s) => s.list!(app), query).map((s) => s.group)).toEqual(['Endpoints', 'Docs'])
})

test('a screen with the name ranks above endpoints ending in it', () => {
  const both = [
    source('Go to', '>', [entry('Go to Alerts')]),
    source('Endpoints', '/', [entry('/alert/alerts'), entry('/device/devices/{id}/alerts')]),
    source('Docs', '', [entry('alerts')]),
  ]
  expect(search(both, (s) => s.list!(app), parseQuery('alerts')).map((s) => s.group)).toEqual([
    'Go to',
    'Endpoints',
    'Docs',
  ])
})

test('a count is shown only if it is known', () => {
  const many = Array.from({ length: 12 }, (_, i) => entry(`web-${i}`))
  const of = (cut?: number) => requested({ ...source('Devices', '#', []), cut }, many, parseQuery('web'))
  expect([of(), of(13), of(12)].map((s) => [s.entries.length, s.total])).toEqual([
    [8, 12],
    [8, 12],
    [8, 8],
  ])
})

test('@ searches objects of the portal', () => {
  const devices = source('Devices', '@', [entry('web-01')])
  const groups = (query: string) =>
    search([...all, devices], (s) => s.list!(app), parseQuery(query)).map((s) => s.group)
  expect([groups('@web'), groups('#web'), groups('#devices')]).toEqual([['Devices'], [], ['Endpoints', 'Tabs']])
})

test('the matched synonym is shown unless it is visible', () => {
  const imports = entry('Import…', { words: 'file OpenAPI Postman' })
  const hintOf = (query: string) => {
    const [found] = search([source('Run', '>', [imports])], (s) => s.list!(app), parseQuery(query))
    return reason(imports, found.entries[0].marks)
  }
  expect([hintOf('api'), hintOf('import'), hintOf('import post')]).toEqual(['OpenAPI', '', 'Postman'])
  expect(reason({ ...imports, method: 'GET' }, [[], [0]])).toBe('')
})

test('recent items come first in an empty palette, once each', () => {
  const entries = ['a', 'b', 'c', 'd'].map((id) => entry(id))
  const sections = search([source('Go to', '>', entries.slice(0, 3))], (s) => s.list!(app), parseQuery(''))
  const names = (ids: string[]) =>
    withRecent('Recent', ids, entries, sections).map((s) => [s.group, s.total, ...s.entries.map((e) => e.item.id)])
  expect(names(['d', 'b', 'gone'])).toEqual([
    ['Recent', 2, 'd', 'b'],
    ['Go to', 2, 'a', 'c'],
  ])
  expect(names(['gone'])).toEqual([['Go to', 3, 'a', 'b', 'c']])
})

test('a longer query searches only what the shorter one matched, with the same result', () => {
  const list = ['web-01', 'web-02', 'db-01', 'w-e-b', 'cobweb'].map((text) => entry(text))
  const one = source('Docs', '#', list)
  const matched = new Matched()
  const of = (query: string) =>
    search([one], () => list, parseQuery(query), matched).flatMap((s) => s.entries.map((e) => e.item.text))
  for (const query of ['w', 'we', 'web', 'web 0', 'web', 'db', '', '01', '#01', 'web-02', 'web-0'])
    expect([query, of(query)]).toEqual([
      query,
      search([one], () => list, parseQuery(query)).flatMap((s) => s.entries.map((e) => e.item.text)),
    ])
  of('web')
  const kept = matched.among(one, list, 'web 02').map((e) => e.text)
  expect([kept, matched.among(one, list, 'we'), matched.among(one, [...list], 'web 02')]).toEqual([
    ['web-01', 'web-02', 'cobweb', 'w-e-b'],
    list,
    list,
  ])
})

test('the first rows are those of the first sections', () => {
  const sections = [3, 0, 2, 4].map((n, s) => ({
    group: `${s}`,
    entries: Array.from({ length: n }, (_, i) => ({ item: entry(`${s}${i}`), score: 0, marks: [] })),
    total: n,
  }))
  const first = (rows: number) => upTo(rows, sections).map((s) => [s.group, s.entries.length, s.total])
  expect(first(4)).toEqual([
    ['0', 3, 3],
    ['2', 1, 2],
  ])
  expect(first(3)).toEqual([['0', 3, 3]])
  expect(first(Infinity)).toEqual([
    ['0', 3, 3],
    ['2', 2, 2],
    ['3', 4, 4],
  ])
})

test('a source without results has no section', () => {
  expect(found('zzzz')).toEqual([])
})

describe('asynchronous results', () => {
  type Call = { query: string; signal: AbortSignal; answer: (entries: Entry[]) => void; refuse: () => void }
  const slow = (group: string, calls: Call[]): Source => ({
    group,
    order: 0,
    prefixes: '#',
    most: 8,
    first: 4,
    find: (_, query, signal) => new Promise((answer, refuse) => calls.push({ query, signal, answer, refuse })),
  })

  function searching(...more: Source[]) {
    const calls: Call[] = []
    const results = new Results(app, [slow('History', calls), ...more, ...all], '')
    const type = (text: string) => {
      results.query = text
      results.request()
    }
    return {
      calls,
      results,
      type,
      shown: () => results.sections.map((s) => [s.group, ...s.entries.map((e) => e.item.text)]),
    }
  }
  const settle = () => new Promise((done) => setTimeout(done))

  test('come below local results, also for synonym matches', async () => {
    const { calls, type, results, shown } = searching()
    type('monitor')
    expect([results.unsure, shown()]).toEqual([false, [['Go to', 'Monitor']]])
    calls[0].answer([entry('/device/devices/42')])
    await settle()
    expect(shown()).toEqual([
      ['Go to', 'Monitor'],
      ['History', '/device/devices/42'],
    ])
  })

  test('come above fuzzy and synonym matches', async () => {
    const { calls, type, results, shown } = searching()
    type('snd')
    expect([results.unsure, shown()]).toEqual([true, [['Run', 'Send Request']]])
    calls[0].answer([entry('snd-01')])
    await results.soon
    expect([results.unsure, shown()]).toEqual([
      false,
      [
        ['History', 'snd-01'],
        ['Run', 'Send Request'],
      ],
    ])
    type('post add')
    calls[1].answer([entry('/post/add')])
    await results.settled
    expect(shown()).toEqual([
      ['History', '/post/add'],
      ['Endpoints', '/device/devices'],
    ])
  })

  test('are in the order of the sources, so that late ones move nothing', async () => {
    const portal: Call[] = []
    const { calls, type, results, shown } = searching(slow('Devices', portal))
    type('db')
    portal[0].answer([entry('db-01')])
    await settle()
    expect([results.busy, shown()]).toEqual([true, []])
    calls[0].answer([entry('/device/devices?filter=db')])
    await results.settled
    expect([results.busy, shown()]).toEqual([
      false,
      [
        ['History', '/device/devices?filter=db'],
        ['Devices', 'db-01'],
      ],
    ])
  })

  test('do not wait for sources below', async () => {
    const portal: Call[] = []
    const { calls, type, results, shown } = searching(slow('Devices', portal))
    type('db')
    calls[0].answer([entry('/device/devices?filter=db')])
    await settle()
    expect([results.busy, shown()]).toEqual([true, [['History', '/device/devices?filter=db']]])
    portal[0].answer([entry('db-01')])
    await results.settled
    expect(shown()).toEqual([
      ['History', '/device/devices?filter=db'],
      ['Devices', 'db-01'],
    ])
  })

  test('do not move the selection until the next key', async () => {
    const { calls, type, results, shown } = searching()
    type('snd')
    results.hold(0)
    calls[0].answer([entry('snd-01')])
    await results.settled
    expect(shown()).toEqual([
      ['Run', 'Send Request'],
      ['History', 'snd-01'],
    ])
    type('sn')
    calls[1].answer([entry('snd-01')])
    await results.settled
    expect(shown()).toEqual([
      ['History', 'snd-01'],
      ['Run', 'Send Request'],
    ])
  })

  test('do not wait for missing or slow sources', async () => {
    const portal: Call[] = []
    const { calls, type, results, shown } = searching(slow('Devices', portal))
    type('db')
    portal[0].refuse()
    calls[0].answer([entry('/db')])
    await results.settled
    expect(shown()).toEqual([['History', '/db']])
    vi.useFakeTimers()
    try {
      type('db-')
      portal[1].answer([entry('db-01')])
      await vi.advanceTimersByTimeAsync(249)
      expect(shown()).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      expect([results.busy, shown()]).toEqual([true, [['Devices', 'db-01']]])
    } finally {
      vi.useRealTimers()
    }
  })

  test('are cancelled by the next key, and a late response changes nothing', async () => {
    const { calls, type, shown } = searching()
    type('dev')
    type('send')
    expect(calls.map((c) => [c.query, c.signal.aborted])).toEqual([
      ['dev', true],
      ['send', false],
    ])
    calls[0].answer([entry('/device/devices/42')])
    await settle()
    expect(shown()).toEqual([['Run', 'Send Request']])
  })

  test('that are known at once are shown with the query, in the order of the sources', async () => {
    const hints: Source = { ...slow('Actions', []), find: (_, query) => [entry(`${query} actions`)] }
    const below: Source = { ...slow('Objects', []), find: (_, query) => [entry(`${query} objects`)] }
    const calls: Call[] = []
    const results = new Results(app, [hints, slow('History', calls), below], '')
    const shown = () => results.sections.map((s) => [s.group, ...s.entries.map((e) => e.item.text)])
    results.query = 'db'
    results.request()
    expect([results.busy, shown()]).toEqual([true, [['Actions', 'db actions']]])
    calls[0].answer([entry('/db')])
    await results.settled
    expect([results.busy, shown()]).toEqual([
      false,
      [
        ['Actions', 'db actions'],
        ['History', '/db'],
        ['Objects', 'db objects'],
      ],
    ])
  })

  test('are not requested if the prefix excludes them', () => {
    const { calls, type } = searching()
    type('>dev')
    expect(calls).toEqual([])
  })
})
