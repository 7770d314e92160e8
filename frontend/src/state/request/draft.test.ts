import { flushSync } from 'svelte'
import { describe, expect, test } from 'vitest'
import { Catalog } from '../catalog/catalog.svelte'
import { Fault, type Reply, type SendRequest } from '../../client'
import { fakeCatalog } from '../../fakes/catalog'
import { contentOf, Draft, draftOf, emptyDraft } from './draft.svelte'
import { editRows } from './rows'

interface Call {
  request: SendRequest
  signal: AbortSignal
  answer(reply: Partial<Reply>): void
  fail(e: unknown): void
}

async function setUp({ loaded = true } = {}) {
  const catalog = new Catalog({ catalog: async () => fakeCatalog })
  if (loaded) await catalog.load()
  const calls: Call[] = []
  const send = (request: SendRequest, signal: AbortSignal) =>
    new Promise<Reply>((done, fail) => {
      calls.push({ request, signal, answer: (r) => done(r as Reply), fail })
      signal.addEventListener('abort', () => fail(new DOMException('aborted', 'AbortError')))
    })
  const draft = new Draft({ client: { send, pages: send, steer: async () => {} }, catalog, tabId: async () => 7 })
  const sent = async () => {
    while (calls.length === 0) await Promise.resolve()
    return calls[calls.length - 1]
  }
  return { catalog, draft, calls, sent }
}

describe('sending', () => {
  test('a second Send while the first runs sends nothing', async () => {
    const { draft, calls, sent } = await setUp()
    draft.setPath('/device/devices')
    const first = draft.send()
    const second = draft.send()
    ;(await sent()).answer({ status: 200 })
    await Promise.all([first, second])
    expect(calls).toHaveLength(1)
    expect(draft.busy).toBe(false)
  })

  test('a response never changes edits made meanwhile', async () => {
    const { draft, sent } = await setUp()
    draft.setPath('/device/devices')
    const sending = draft.send()
    const call = await sent()
    draft.setPath('/device/groups')
    draft.body = '{"edited": true}'
    call.answer({ status: 200 })
    await sending
    expect(draft.path).toBe('/device/groups')
    expect(draft.body).toBe('{"edited": true}')
    expect(draft.reply?.status).toBe(200)
    expect(draft.stale).toBe(true)
  })

  test('cancelling keeps the previous response and says so', async () => {
    const { draft, calls, sent } = await setUp()
    draft.setPath('/device/devices')
    const first = draft.send()
    ;(await sent()).answer({ status: 200 })
    await first
    const second = draft.send()
    while (calls.length < 2) await Promise.resolve()
    draft.stop()
    await second
    expect(draft.fault?.cancelled).toBe(true)
    expect(draft.reply?.status).toBe(200)
    expect(draft.busy).toBe(false)
  })

  test('a fault is kept with its field', async () => {
    const { draft, sent } = await setUp()
    draft.setPath('/device/devices/{{nobody}}')
    const sending = draft.send()
    ;(await sent()).fail(new Fault('No variable is called “nobody”', 400, { field: 'path', unknown: ['nobody'] }))
    await sending
    expect(draft.fault?.field).toBe('path')
    expect(draft.fault?.unknown).toEqual(['nobody'])
  })

  test('variables are sent unresolved', async () => {
    const { draft, sent } = await setUp()
    draft.setPath('/device/devices/{{deviceId}}')
    const sending = draft.send()
    const call = await sent()
    expect(call.request.draft.path).toBe('/device/devices/{{deviceId}}')
    expect(call.request.tabId).toBe(7)
    call.answer({ status: 200 })
    await sending
  })
})

describe('the endpoint of a path', () => {
  test.each([
    ['/device/devices/{id}', 'GET /device/devices/{id}'],
    ['/device/devices/42', 'GET /device/devices/{id}'],
    ['/device/devices/{{deviceId}}', 'GET /device/devices/{id}'],
    ['/device/devices/42/alerts', 'GET /device/devices/{id}/alerts'],
    ['/device/devices/', 'GET /device/devices'],
    ['/nothing', undefined],
  ])('%s is %s', async (path, id) => {
    const { draft } = await setUp()
    draft.setPath(path)
    expect(draft.endpoint?.id).toBe(id)
  })

  test('placeholders have rows, and typed values survive edits of the path', async () => {
    const { draft } = await setUp()
    draft.setPath('/device/devices/{id}')
    draft.pathParams[0].value = '42'
    draft.setPath('/device/devices/{id}/alerts')
    expect(draft.pathParams.map((r) => [r.key, r.value])).toEqual([['id', '42']])
    draft.setPath('/device/devices/42/alerts')
    expect(draft.pathParams).toEqual([])
  })
})

describe('choosing an endpoint', () => {
  test('sets method, path and example body, and clears the response', async () => {
    const { catalog, draft, sent } = await setUp()
    draft.setPath('/device/devices')
    const sending = draft.send()
    ;(await sent()).answer({ status: 200 })
    await sending
    draft.choose(catalog.byId('POST /device/devices')!)
    flushSync()
    expect(draft.line).toBe('POST /device/devices')
    expect(JSON.parse(draft.body)).toMatchObject({ name: '10.20.0.11', preferredCollectorId: 3 })
    expect(draft.reply).toBeUndefined()
  })

  test('GET and DELETE get no body', async () => {
    const { catalog } = await setUp()
    expect(draftOf(catalog.byId('GET /device/devices')!).body).toBe('')
    expect(draftOf(catalog.byId('DELETE /device/devices/{id}')!).body).toBe('')
  })

  test('a write gets no example id', async () => {
    const { catalog } = await setUp()
    expect(draftOf(catalog.byId('GET /device/devices/{id}')!).pathParams[0].value).toBe('1147')
    expect(draftOf(catalog.byId('DELETE /device/devices/{id}')!).pathParams[0].value).toBe('')
  })

  test('an unedited example body follows method and path', async () => {
    const { catalog, draft } = await setUp()
    const example = (id: string) => draftOf(catalog.byId(id)!).body
    const type = (path: string) => {
      draft.path = path // as a bound field does, before its event
      draft.setPath(path)
    }
    type('/device/devices')
    draft.setMethod('POST')
    expect(draft.body).toBe(example('POST /device/devices'))
    type('/device/devices/x/y')
    expect(draft.body).toBe('')
    type('/device/groups')
    expect(draft.body).toBe(example('POST /device/groups'))
    draft.setMethod('GET')
    expect(draft.body).toBe('')
  })

  test('an edited body is kept when the request changes', async () => {
    const { draft } = await setUp()
    draft.setPath('/device/devices')
    draft.setMethod('POST')
    draft.body = '{"name": "mine"}'
    for (const path of ['/device/groups', '/session']) {
      draft.setPath(path)
      draft.setMethod('GET')
      draft.setMethod('PATCH')
    }
    expect(draft.body).toBe('{"name": "mine"}')
  })

  test('query parameters are offered disabled', async () => {
    const { catalog } = await setUp()
    const rows = draftOf(catalog.byId('GET /device/devices')!).query
    expect(rows.map((r) => [r.on, r.key])).toEqual([
      [false, 'size'],
      [false, 'offset'],
      [false, 'fields'],
      [false, 'sort'],
      [false, 'filter'],
    ])
  })

  test('suggested rows of another endpoint are removed, entered rows stay', async () => {
    const { draft } = await setUp()
    draft.setPath('/device/devices')
    draft.offerParams()
    draft.query[0].on = true
    draft.setPath('/device/devices/42')
    draft.offerParams()
    expect(draft.query.map((r) => r.key)).toEqual(['size'])
  })

  test('until the catalog has loaded, suggested rows stay, with their values', async () => {
    const { catalog, draft } = await setUp({ loaded: false })
    draft.load({
      ...emptyDraft(),
      path: '/device/devices',
      query: [{ on: false, key: 'size', value: '20', doc: 'Items per page' }],
    })
    draft.offerParams()
    expect(draft.query.map((r) => [r.key, r.value])).toEqual([['size', '20']])
    await catalog.load()
    draft.offerParams()
    expect(draft.query.map((r) => r.key)).toEqual(['size', 'offset', 'fields', 'sort', 'filter'])
    expect(draft.query[0].value).toBe('20')
  })
})

test('disabled rows and the visible editor are no change', () => {
  const offered = { ...emptyDraft(), mode: 'raw' as const, query: [{ on: false, key: 'size', value: '50' }] }
  expect(contentOf(offered)).toBe(contentOf(emptyDraft()))
})

test('rows keep duplicate keys and empty values, without their page ids', async () => {
  const { draft } = await setUp()
  const query = [
    { on: true, key: 'a', value: '' },
    { on: true, key: 'a', value: '2' },
  ]
  draft.load({ ...emptyDraft(), path: '/x', query })
  expect(draft.data().query).toEqual(query)
})

test('a query typed into the path changes the rows with the same keys', async () => {
  const { draft } = await setUp()
  draft.setPath('/device/devices')
  draft.offerParams()
  const before = new Map(draft.query.map((r) => [r.key, r.id]))
  draft.setPath('/device/devices?mine=1&size=5')
  draft.absorb()
  expect(draft.query.filter((r) => r.on).map((r) => [r.key, r.value])).toEqual([
    ['mine', '1'],
    ['size', '5'],
  ])
  expect(draft.query).toHaveLength(before.size + 1)
  for (const r of draft.query) if (r.key !== 'mine') expect(r.id, r.key).toBe(before.get(r.key))
})

test('a path of another endpoint disables parameters of the previous one', async () => {
  const { draft } = await setUp()
  draft.setPath('/device/devices')
  draft.query = editRows([
    { on: true, key: 'size', value: '50' },
    { on: true, key: 'mine', value: '1' },
  ])
  draft.setPath('/device')
  draft.setPath('/setting/version')
  expect(draft.query.filter((r) => r.value).map((r) => [r.key, r.on])).toEqual([
    ['size', false],
    ['mine', true],
  ])
})
