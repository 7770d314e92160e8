import { expect, test } from 'vitest'
import type { Call } from './call'
import { explorer } from './explorer'

const sent: [string, Call | undefined][] = []
const { get, post, remove, text, url } = explorer({
  json: async <T>(path: string, call?: Call) => {
    sent.push([path, call])
    return {} as T
  },
  request: async (path) => new Response(path),
})

test('a call has its path, its query and its body', async () => {
  await get('/documents/{id}/table', {
    params: { id: 'a/b' },
    query: { column: ['name', 'a&b'], sort: '', desc: false, from: 0, count: undefined },
  })
  await post('/history/{id}/undo', { params: { id: 7 } })
  await post('/script', { body: { ids: [7], language: 'curl' } })
  await remove('/data/restore')
  expect(sent).toEqual([
    ['/explorer/documents/a%2Fb/table?column=name&column=a%26b&desc=false&from=0', { method: 'GET' }],
    ['/explorer/history/7/undo', { method: 'POST' }],
    ['/explorer/script', { method: 'POST', body: { ids: [7], language: 'curl' } }],
    ['/explorer/data/restore', { method: 'DELETE' }],
  ])
  expect(await text('/documents/{id}/hex', { params: { id: 'd1' } })).toBe('/explorer/documents/d1/hex')
})

test('only declared endpoints can be called', () => {
  // svelte-check fails if one of these calls is valid
  const wrong = () => [
    // @ts-expect-error there is no such path
    get('/documents'),
    // @ts-expect-error it cannot be deleted
    remove('/start'),
    // @ts-expect-error the id is missing
    post('/history/{id}/undo'),
    // @ts-expect-error the id is a number
    post('/history/{id}/undo', { params: { id: '7' } }),
    // @ts-expect-error the body lacks the ids
    post('/batch', { body: { goOn: true } }),
    // @ts-expect-error the body has another kind of id
    post('/script', { body: { ids: ['7'] } }),
    // @ts-expect-error it takes no body
    post('/native/quit', { body: {} }),
    // @ts-expect-error it has no such parameter
    get('/variables/uses', { query: { since: 1 } }),
    // @ts-expect-error an address is of a GET
    url('/script'),
  ]
  expect(wrong).toBeTypeOf('function')
})
