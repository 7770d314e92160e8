import { expect, test, vi } from 'vitest'
import type { Reply, Rows } from '../client'
import { ShownResponse } from '../state/response/shown-response.svelte'
import { Filter } from './filter.svelte'
import { keeperOf, keeperOfMatches, leftIn, unfolded, type Left } from '../state/response/left'

const reply = (historyId: number): Reply =>
  ({ historyId, document: `d${historyId}`, rows: [], rowCount: 0, lineCount: 0, json: true }) as unknown as Reply

/** Returns a tab that shows a response. */
function tabWith(shown: Reply, view: Record<string, unknown> = {}) {
  const tab = {
    historyId: shown.historyId,
    view,
    draft: { reply: shown },
    setView: (change: Record<string, unknown>) => void (tab.view = { ...tab.view, ...change }),
  }
  return tab
}

test('the view state of a response is stored with its tab, for that response only', () => {
  const shown = reply(7)
  const tab = tabWith(shown, { response: 'json' })
  const keeper = keeperOf(tab, shown)
  keeper.set({ open: '0+', tree: { current: 3, top: 40 } })
  expect(tab.view).toEqual({ response: 'json', answer: { history: 7, open: '0+', tree: { current: 3, top: 40 } } })
  expect(keeper.get()).toEqual({ open: '0+', tree: { current: 3, top: 40 } })
  expect(leftIn(tab.view, 8)).toEqual({})
  expect(leftIn({ answer: 'x' }, 8)).toEqual({})
})

test('no view state is stored for a replaced response or one outside the history', () => {
  const [old, shown] = [reply(7), reply(8)]
  const tab = tabWith(shown)
  keeperOf(tab, old).set({ open: '0+' })
  expect(tab.view).toEqual({})
  const lost = reply(0)
  const other = tabWith(lost)
  keeperOf(other, lost).set({ open: '0+' })
  expect(other.view).toEqual({})
  expect(keeperOf(tabWith(lost, { answer: { history: 0, open: '0+' } }), lost).get()).toEqual({})
})

test('filter matches have their own view state, per filter', () => {
  const shown = reply(7)
  const tab = tabWith(shown)
  const whole = keeperOf(tab, shown)
  whole.set({ open: '0+' })
  keeperOfMatches(whole, '$.items').set({ open: '0*', tree: { current: 1, top: 0 } })
  expect(whole.get()).toEqual({ open: '0+', matches: { of: '$.items', open: '0*', tree: { current: 1, top: 0 } } })
  expect(keeperOfMatches(whole, '$.items').get()).toEqual({ open: '0*', tree: { current: 1, top: 0 } })
  expect(keeperOfMatches(whole, '$.total').get()).toEqual({})
})

/** Fakes a client with a document of one match, and records the requests. */
function client() {
  const rows: Rows = { rows: [], total: 12 }
  return {
    find: vi.fn(async (_: string, __: string, index: number) => ({ count: 9, index, row: 4, path: '$.a', total: 12 })),
    findText: vi.fn(async (_: string, __: string, index: number) => ({ count: 9, index, row: 4, path: '', total: 12 })),
    rows: vi.fn(async () => rows),
    toggle: vi.fn(async () => rows),
    reveal: vi.fn(async () => ({ row: 4, total: 12 })),
    left: vi.fn(async () => '0+ 9+'),
    unfold: vi.fn(async () => rows),
    filter: vi.fn(async () => ({ document: 'm', matches: 2, bytes: 9, rows: [], rowCount: 3, lineCount: 3 })),
  }
}
type Door = ConstructorParameters<typeof ShownResponse>[0]

test('a restored search keeps its match without scrolling to it', async () => {
  const door = client()
  const kept: Left = { find: { query: 'web', matchCase: true, index: 5 } }
  const response = new ShownResponse(door as unknown as Door, reply(7), {
    get: () => kept,
    set: (left) => void Object.assign(kept, left),
  })
  await vi.waitFor(() => expect(response.find.found?.index).toBe(5))
  expect([response.find.open, response.find.query, response.find.matchCase, response.find.resting]).toEqual([
    true,
    'web',
    true,
    true,
  ])
  expect(door.find).toHaveBeenCalledWith('d7', 'web', 5, true, expect.anything())
  await response.find.step(1)
  expect(response.find.resting).toBe(false)
  expect(kept.find).toEqual({ query: 'web', matchCase: true, index: 6 })
  response.find.close()
  expect(kept.find).toBeUndefined()
})

test('a search for a long text is not stored', async () => {
  const kept: Left = {}
  const response = new ShownResponse(client() as unknown as Door, reply(7), {
    get: () => kept,
    set: (left) => void Object.assign(kept, left),
  })
  await response.find.look('x'.repeat(1001), false)
  expect(kept).toEqual({})
})

test('expanded nodes are requested from Go once, and stored', async () => {
  const door = client()
  const sets: Left[] = []
  const response = new ShownResponse(door as unknown as Door, reply(7), {
    get: () => sets.at(-1) ?? {},
    set: (left) => void sets.push(left),
  })
  await Promise.all([response.rows.toggle(1, true, false, 0, 20), response.rows.toggle(2, true, false, 0, 20)])
  await vi.waitFor(() => expect(sets).toEqual([{ open: '0+ 9+' }]), 2000)
  expect(door.left).toHaveBeenCalledTimes(1)
})

test('a restored response is expanded as before, or as received if that fails', async () => {
  const door = client()
  const came = { ...reply(7), rowCount: 3 }
  expect((await unfolded(door, came, '0+')).rowCount).toBe(12)
  expect(await unfolded(door, came, undefined)).toBe(came)
  door.unfold.mockRejectedValueOnce(new Error('gone'))
  expect(await unfolded(door, came, '0+')).toBe(came)
})

test('matches are expanded as before', async () => {
  const door = client()
  const kept: Left = { matches: { of: '$.a', open: '0*', tree: { current: 2, top: 9 } } }
  const filter = new Filter(door as unknown as Door, reply(7), { get: () => kept, set: () => {} })
  await filter.run('$.a')
  expect(door.unfold).toHaveBeenCalledWith('m', '0*', 0, 200)
  expect([filter.result?.reply.rowCount, filter.result?.left.tree]).toEqual([12, { current: 2, top: 9 }])
  await filter.run('$.b')
  expect(door.unfold).toHaveBeenCalledTimes(1)
})
