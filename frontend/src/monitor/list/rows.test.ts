import { expect, test, vi } from 'vitest'
import type { ListQuery } from '../../client'
import { both, Rows } from './rows.svelte'

function portal(total: number) {
  const requests: ListQuery[] = []
  const rows = new Rows<{ id: number }>(async (query) => {
    requests.push(query)
    const from = query.offset ?? 0
    return {
      total,
      searchId: null,
      data: null,
      items: Array.from({ length: Math.max(0, Math.min(100, total - from)) }, (_, i) => ({ id: from + i })),
    }
  }, 'name')
  return { rows, requests }
}

test('only visible windows are requested, each once', async () => {
  const { rows, requests } = portal(100_000)
  await rows.reload()
  rows.see(50_010, 50_140)
  rows.see(50_020, 50_150)
  await vi.waitFor(() => expect(rows.at(50_120)).toEqual({ id: 50_120 }))
  expect(requests.map((q) => q.offset)).toEqual([0, 50_000, 50_100])
  expect([rows.total, rows.at(700), rows.indexOf(50_120), rows.find(3)]).toEqual([
    100_000,
    undefined,
    50_120,
    { id: 3 },
  ])
})

test("searching and sorting are the portal's", async () => {
  const { rows, requests } = portal(3)
  await rows.reload()
  rows.sortBy('name')
  rows.sortBy('email')
  rows.search = 'jo "x'
  rows.narrow('status:"active"')
  await vi.waitFor(() => expect(requests).toHaveLength(4))
  expect(requests.map((q) => [q.sort, q.filter])).toEqual([
    ['name', ''],
    ['-name', ''],
    ['email', ''],
    ['email', 'status:"active",_all~"jo",_all~"\\"x"'],
  ])
  expect(both('', '')).toBe('')
})

test('a failure keeps the rows, and the next view retries', async () => {
  let fails = false
  const rows = new Rows<{ id: number }>(async () => {
    if (fails) throw new Error('gone')
    return { total: 1, searchId: null, data: null, items: [{ id: 1 }] }
  })
  await rows.reload()
  fails = true
  await rows.reload()
  expect([rows.at(0), rows.fault?.message]).toEqual([{ id: 1 }, 'gone'])
  fails = false
  await rows.reload()
  expect(rows.fault).toBeUndefined()
})
