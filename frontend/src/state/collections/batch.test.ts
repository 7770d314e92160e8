import { expect, test } from 'vitest'
import { fakeShelf } from '../../fakes/shelf'
import { Fault } from '../../client'
import type { BatchRun, Ran, SavedRequest } from '../../client/collections'
import { Batch, counted, warning } from './batch.svelte'

const requests: SavedRequest[] = [
  { id: 1, collectionId: 1, name: '', method: 'GET', path: '/a' },
  { id: 2, collectionId: 1, name: '', method: 'DELETE', path: '/b' },
  { id: 3, collectionId: 1, name: '', method: 'GET', path: '/c' },
]
const ran = (id: number, problem = ''): Ran => ({
  id,
  name: '',
  method: 'GET',
  path: '/a',
  at: id - 1,
  row: 0,
  status: problem ? 404 : 200,
  ms: 3,
  historyId: id,
  problem,
  passed: 0,
  failed: 0,
  checks: [],
})

function begin() {
  let end!: (value: { results: Ran[] }) => void
  let refuse!: (why: unknown) => void
  const collections = {
    ...fakeShelf(),
    batch: ({ ids, goOn, parallel }: BatchRun, signal: AbortSignal) => {
      expect([ids, goOn, parallel]).toEqual([[1, 2, 3], false, 4])
      signal.addEventListener('abort', () => refuse(new DOMException('aborted', 'AbortError')))
      return new Promise<{ results: Ran[] }>((yes, no) => {
        end = yes
        refuse = no
      })
    },
  }
  const batch = new Batch('Fleet', requests, { goOn: false, parallel: 4 }, { collections })
  return { batch, over: batch.run(), end: (results: Ran[]) => end({ results }), refuse: (e: unknown) => refuse(e) }
}

test('a batch shows its progress and result', async () => {
  const { batch, over, end } = begin()
  expect(batch.line).toBe('1 of 3')
  batch.hear({ batchId: batch.id, of: 3, result: ran(1) })
  batch.hear({ batchId: batch.id, of: 3, result: ran(1) })
  batch.hear({ batchId: 'another', of: 3, result: ran(2) })
  expect([batch.line, batch.results.length]).toEqual(['2 of 3', 1])
  end([ran(1), ran(2, 'no such thing')])
  await over
  expect(batch.line).toBe('1 of 2 succeeded; 1 was not sent')
})

test('parallel results arrive in any order, and a data file multiplies them', async () => {
  const { batch, over, end } = begin()
  batch.hear({ batchId: batch.id, of: 6, result: { ...ran(2), at: 4, row: 2 } })
  batch.hear({ batchId: batch.id, of: 6, result: ran(1) })
  expect([batch.line, batch.results.map((r) => r.at)]).toEqual(['3 of 6', [4, 0]])
  end([ran(1), { ...ran(2), at: 4, row: 2 }])
  await over
  expect(batch.line).toBe('All 2 succeeded; 4 were not sent')
})

test('a batch that passed, was cancelled, or could not start', async () => {
  const well = begin()
  well.end([ran(1), ran(2), ran(3)])
  await well.over
  expect(well.batch.line).toBe('All 3 succeeded')
  const cancelled = begin()
  cancelled.batch.hear({ batchId: cancelled.batch.id, of: 3, result: ran(1) })
  cancelled.batch.cancel()
  await cancelled.over
  expect([cancelled.batch.line, cancelled.batch.problem]).toEqual(['Cancelled after 1 of 3', ''])
  const refused = begin()
  refused.refuse(new Fault('the portal is gone', 502))
  await refused.over
  expect(refused.batch.problem).toBe('the portal is gone')
})

test('the changes of a batch are shown before', () => {
  expect(counted(requests)).toBe('2 GET, 1 DELETE')
  expect(warning(requests, 'Demo')).toBe('1 DELETE will change Demo without further confirmation.')
  expect(warning([requests[0]], 'Demo')).toBe('')
})
