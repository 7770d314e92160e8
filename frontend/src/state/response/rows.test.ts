import { expect, test, vi } from 'vitest'
import type { DocRow, Rows } from '../../client'
import { DocumentRows } from './rows.svelte'

const row = (node: number): DocRow => ({
  node,
  line: node + 1,
  depth: 1,
  kind: 'number',
  text: String(node),
  count: 0,
  open: false,
  comma: false,
})
const run = (from: number, count: number) => Array.from({ length: count }, (_, i) => row(from + i))

/** Fakes a document of `total` numbers that responds when the test allows it. */
function door(total: number) {
  const calls: { from: number; answer: () => void }[] = []
  const answer = (from: number, count: number): Rows => ({ rows: run(from, Math.min(count, total - from)), total })
  return {
    calls,
    rows: vi.fn(
      (_: string, from: number, count: number) =>
        new Promise<Rows>((done) => calls.push({ from, answer: () => done(answer(from, count)) })),
    ),
    toggle: vi.fn(async (_: string, node: number, open: boolean, _deep: boolean, from: number, count: number) => {
      total = open ? total : 3
      return { rows: open ? run(from, count) : [row(0), row(node), row(9)], total }
    }),
    find: vi.fn(async () => ({ count: 2, index: 0, node: 250, row: 250, path: '$[250]', total })),
    reveal: vi.fn(async () => ({ row: 250, total })),
  }
}
const settled = () => new Promise((done) => setTimeout(done))

test('the first rows need no request', () => {
  const d = door(1000)
  const rows = new DocumentRows(d, 'd', { rows: run(0, 200), rowCount: 1000 })
  rows.need(0, 60)
  expect(rows.at(199)?.node).toBe(199)
  expect(rows.at(200)).toBeUndefined()
  expect(d.calls).toEqual([])
})

test('a short document needs no page', () => {
  const d = door(7)
  const rows = new DocumentRows(d, 'd', { rows: run(0, 7), rowCount: 7 })
  rows.need(0, 60)
  expect(rows.at(6)?.node).toBe(6)
  expect(d.calls).toEqual([])
})

test('scrolling far requests only visible pages, two at a time', async () => {
  const d = door(100_000)
  const rows = new DocumentRows(d, 'd', { rows: run(0, 200), rowCount: 100_000 })
  rows.need(5000, 5060)
  rows.need(60_010, 60_070)
  rows.need(90_010, 90_270)
  expect(d.calls.map((c) => c.from)).toEqual([5000, 60_000])
  d.calls[0].answer()
  await settled()
  expect(d.calls.map((c) => c.from)).toEqual([5000, 60_000, 90_000])
  d.calls[1].answer()
  d.calls[2].answer()
  await settled()
  expect(rows.at(90_010)?.node).toBe(90_010)
})

test('closing a node replaces the rows and their number', async () => {
  const d = door(1000)
  const rows = new DocumentRows(d, 'd', { rows: run(0, 200), rowCount: 1000 })
  await rows.toggle(1, false, false, 0, 40)
  expect(rows.total).toBe(3)
  expect(rows.at(1)?.node).toBe(1)
  expect(rows.at(3)).toBeUndefined()
  expect(d.toggle).toHaveBeenCalledWith('d', 1, false, false, 0, 100)
})

test('rows requested before a node was collapsed are ignored', async () => {
  const d = door(1000)
  const rows = new DocumentRows(d, 'd', { rows: run(0, 200), rowCount: 1000 })
  rows.need(500, 540)
  await rows.toggle(1, false, false, 0, 40)
  d.calls[0].answer()
  await settled()
  expect(rows.total).toBe(3)
  expect(rows.at(500)).toBeUndefined()
})

test('pages not used recently are dropped', async () => {
  const d = door(100_000)
  const rows = new DocumentRows(d, 'd', { rows: run(0, 200), rowCount: 100_000 })
  for (let page = 2; page < 30; page++) {
    rows.need(page * 100, page * 100 + 50)
    d.calls[d.calls.length - 1].answer()
    await settled()
  }
  expect(rows.at(0)).toBeUndefined()
  expect(rows.at(2900)?.node).toBe(2900)
})
