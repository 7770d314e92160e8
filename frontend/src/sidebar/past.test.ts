import { expect, test } from 'vitest'
import type { Past, PastQuery } from '../client/past'
import { PastList } from './past.svelte'

/** Fakes a history of `count` requests, and records the queries. */
function shelf(count: number) {
  const queries: PastQuery[] = []
  let response: Promise<void> | undefined
  const client = {
    history: { remove: async () => void count--, clear: async () => void (count = 0) },
    searchHistory: async (query: PastQuery) => {
      queries.push(query)
      const all = Array.from({ length: count }, (_, i) => ({ id: count - i }) as Past).filter(
        (p) => !query.before || p.id < query.before,
      )
      const items = all.slice(0, query.size)
      const answer = { total: count, more: all.length > items.length, items }
      await response
      return answer
    },
  }
  /** Holds the next responses until the returned function is called. */
  const slow = () => {
    let tell = () => {}
    response = new Promise((done) => (tell = done))
    return tell
  }
  return { queries, slow, list: new PastList(client as unknown as ConstructorParameters<typeof PastList>[0]) }
}

test('the list loads down to its previous position', async () => {
  const { queries, list } = shelf(1000)
  await list.load({}, 750)
  expect(queries).toEqual([
    { size: 100, before: undefined },
    { size: 100, before: 901 },
    { size: 100, before: 801 },
  ])
  expect([list.items.length, list.items.at(-1)?.id]).toEqual([300, 701])
})

test('a position too far down is not loaded', async () => {
  const { list } = shelf(5000)
  await list.load({}, 7)
  expect(list.items.length).toBe(2000)
})

test('a newer request cancels the loading', async () => {
  const { queries, list } = shelf(1000)
  await Promise.all([list.load({}, 7), list.load({ words: 'web' })])
  expect(queries).toEqual([
    { size: 100, before: undefined },
    { words: 'web', size: 50, before: undefined },
  ])
  expect(list.items.length).toBe(50)
})

test('an item deleted during loading does not return, and loading ends', async () => {
  const { list, slow } = shelf(1)
  await list.load()
  const answer = slow()
  const reading = list.load({ words: 'web' })
  const removing = list.remove(list.items[0])
  await expect.poll(() => list.items.length).toBe(0)
  answer()
  await Promise.all([reading, removing])
  expect([list.items.length, list.total, list.loading]).toEqual([0, 0, false])
})

test('a history cleared during loading is empty', async () => {
  const { list, slow } = shelf(7)
  const answer = slow()
  const reading = list.load()
  await list.clear()
  answer()
  await reading
  expect([list.items.length, list.total, list.loading]).toEqual([0, 0, false])
})
