import { describe, expect, test, vi } from 'vitest'
import type { App } from '../state/app.svelte'
import { asked, parseQuery, reason, search, withRecent, type Entry, type Source } from './entries'
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

test('> looks at commands only, / at endpoints only, # at places', () => {
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

test('a method narrows', () => {
  expect(found('post dev')).toEqual([['Endpoints', '/device/devices']])
})

test('what matches equally well comes in the order of the sources, however short it is', () => {
  const both = [
    source('Endpoints', '/', [entry('/device/devices')]),
    source('Docs', '', [entry('devices'), entry('deviceId')]),
  ]
  const groups = (query: string) => search(both, (s) => s.list!(app), parseQuery(query)).map((s) => s.group)
  expect(groups('dev')).toEqual(['Endpoints', 'Docs'])
  expect(groups('deviceId')).toEqual(['Docs'])
})

test('a screen that is called so comes before the endpoints that end so', () => {
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

test('how many there are is said only where it is known', () => {
  const many = Array.from({ length: 12 }, (_, i) => entry(`web-${i}`))
  const of = (cut?: number) => asked({ ...source('Devices', '#', []), cut }, many, parseQuery('web'))
  expect([of(), of(13), of(12)].map((s) => [s.entries.length, s.total])).toEqual([
    [8, 12],
    [8, 12],
    [8, 8],
  ])
})

test('@ looks at the objects of the portal only', () => {
  const devices = source('Devices', '@', [entry('web-01')])
  const groups = (query: string) =>
    search([...all, devices], (s) => s.list!(app), parseQuery(query)).map((s) => s.group)
  expect([groups('@web'), groups('#web'), groups('#devices')]).toEqual([['Devices'], [], ['Endpoints', 'Tabs']])
})

test('the word by which something was found is said, unless it can be seen', () => {
  const imports = entry('Import…', { words: 'file OpenAPI Postman' })
  const said = (query: string) => {
    const [found] = search([source('Run', '>', [imports])], (s) => s.list!(app), parseQuery(query))
    return reason(imports, found.entries[0].marks)
  }
  expect([said('api'), said('import'), said('import post')]).toEqual(['OpenAPI', '', 'Postman'])
  expect(reason({ ...imports, method: 'GET' }, [[], [0]])).toBe('')
})

test('what was run last comes first before anything is typed, once', () => {
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

test('nothing found is no section', () => {
  expect(found('zzzz')).toEqual([])
})

describe('what must be asked for', () => {
  type Call = { query: string; signal: AbortSignal; answer: (entries: Entry[]) => void; refuse: () => void }
  const slow = (group: string, calls: Call[]): Source => ({
    group,
    order: 0,
    prefixes: '#',
    most: 8,
    first: 4,
    ask: (_, query, signal) => new Promise((answer, refuse) => calls.push({ query, signal, answer, refuse })),
  })

  function asking(...more: Source[]) {
    const calls: Call[] = []
    const results = new Results(app, [slow('History', calls), ...more, ...all], '')
    const type = (text: string) => {
      results.query = text
      results.ask()
    }
    return {
      calls,
      results,
      type,
      shown: () => results.sections.map((s) => [s.group, ...s.entries.map((e) => e.item.text)]),
    }
  }
  const settle = () => new Promise((done) => setTimeout(done))

  test('comes below what is at hand, also what only its words match', async () => {
    const { calls, type, results, shown } = asking()
    type('monitor')
    expect([results.unsure, shown()]).toEqual([false, [['Go to', 'Monitor']]])
    calls[0].answer([entry('/device/devices/42')])
    await settle()
    expect(shown()).toEqual([
      ['Go to', 'Monitor'],
      ['History', '/device/devices/42'],
    ])
  })

  test('comes before what has only some of the letters, or another word for it', async () => {
    const { calls, type, results, shown } = asking()
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

  test('comes in the order of the sources, so that nothing moves when one is later', async () => {
    const portal: Call[] = []
    const { calls, type, results, shown } = asking(slow('Devices', portal))
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

  test('does not wait for what is shown below it', async () => {
    const portal: Call[] = []
    const { calls, type, results, shown } = asking(slow('Devices', portal))
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

  test('does not move what is selected, until the next key', async () => {
    const { calls, type, results, shown } = asking()
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

  test('does not wait for what does not come, nor long for what is slow', async () => {
    const portal: Call[] = []
    const { calls, type, results, shown } = asking(slow('Devices', portal))
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

  test('is given up by the next key, and a late answer changes nothing', async () => {
    const { calls, type, shown } = asking()
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

  test('is not asked where the prefix leaves it out', () => {
    const { calls, type } = asking()
    type('>dev')
    expect(calls).toEqual([])
  })
})
