import { expect, test } from 'vitest'
import { Fault } from '../../client'
import type { ListCreation, ListRow, Lists, ListsRequest } from '../../client/across'
import type { Ran } from '../../client/collections'
import { emptyDraft } from '../../state/request/draft.svelte'
import { ListComparison, undoable } from './lists.svelte'

const row = (kind: ListRow['kind'], key: string, ...needs: string[]): ListRow => ({
  kind,
  key,
  name: key,
  differences: [],
  body: kind === 'here' ? `{"name":"${key}"}` : '',
  left: [],
  needs: needs.map((one) => ({ field: 'parentId', key: one })),
})
const ran = (at: number, problem = ''): Ran => ({
  at,
  row: 0,
  id: 0,
  name: `o${at}`,
  method: 'POST',
  path: '/things',
  status: problem ? 400 : 201,
  ms: 1,
  historyId: 10 + at,
  problem,
  passed: 0,
  failed: 0,
  checks: [],
})

/** Creates a comparison. The test supplies the responses to its requests. */
function comparison(create = '/things') {
  const rows = [
    row('here', 'a'),
    row('here', 'a/b', 'a'),
    row('here', 'a/b/c', 'a/b'),
    row('here', 'd'),
    row('same', 'e'),
  ]
  const answer: Lists = { key: 'path', keys: ['path', 'id'], create, rows, here: 4, there: 0, different: 0, same: 1 }
  const requests: ListsRequest[] = []
  const created: ListCreation[] = []
  const undone: number[] = []
  let settle!: { yes: (results: Ran[]) => void; no: (e: unknown) => void }
  const client = {
    compareLists: async (request: ListsRequest) => {
      requests.push(request)
      if (request.key === 'gone') throw new Fault('no field is called gone', 400)
      return answer
    },
  }
  const there = {
    id: 7,
    client: {
      createListed: (request: ListCreation, signal: AbortSignal) => {
        created.push(request)
        return new Promise<{ results: Ran[] }>((yes, no) => {
          settle = { yes: (results) => yes({ results }), no }
          signal.addEventListener('abort', () => no(new DOMException('aborted', 'AbortError')))
        })
      },
    },
    undo: async (historyId: number) => {
      if (historyId === 11) throw new Fault('it has changed since', 409)
      undone.push(historyId)
    },
  }
  const lists = new ListComparison(client, there, { ...emptyDraft(), path: '/things' })
  const keys = () => lists.plan.map((r) => r.key)
  return { lists, keys, requests, created, undone, yes: (results: Ran[]) => settle.yes(results) }
}

test('without a selection, all missing items are created, with their dependencies', async () => {
  const { lists, keys, requests } = comparison()
  await lists.compare()
  expect(requests[0]).toMatchObject({ other: 7, key: '', draft: { path: '/things' } })
  expect(lists.rows.map((r) => r.key)).toEqual(['a', 'a/b', 'a/b/c', 'd'])
  expect(keys()).toEqual(['a', 'a/b', 'a/b/c', 'd'])
  lists.toggle('a/b/c')
  expect(keys()).toEqual(['a', 'a/b', 'a/b/c'])
  lists.toggle('a/b')
  expect(keys()).toEqual(['a'])
  lists.toggle('e')
  expect([...lists.chosen]).toEqual(['a'])
  lists.clear()
  expect(keys()).toHaveLength(4)
  lists.show('same')
  expect(lists.rows.map((r) => r.key)).toContain('e')
})

test('nothing can be created without a POST in the other portal', async () => {
  const { lists, keys, created } = comparison('')
  await lists.compare()
  lists.toggle('a')
  expect(keys()).toEqual([])
  await lists.create()
  expect(created).toEqual([])
})

test('results arrive as events, and each creation is undone or explained', async () => {
  const { lists, created, undone, yes } = comparison()
  await lists.compare()
  lists.toggle('d')
  lists.toggle('a/b')
  const creating = lists.create()!
  const { batchId, path, objects } = created[0]
  expect([path, objects.map((o) => o.key)]).toEqual(['/things', ['a', 'a/b', 'd']])
  lists.hear({ batchId: 'another', of: 3, result: ran(2) })
  lists.hear({ batchId: batchId!, of: 3, result: ran(0) })
  lists.hear({ batchId: batchId!, of: 3, result: ran(0) })
  expect(lists.made.map((m) => m.name)).toEqual(['o0'])
  yes([ran(0), ran(1), ran(2, 'no')])
  await creating
  expect([lists.busy, lists.planned, lists.failed, lists.made.length]).toEqual([false, 3, 1, 3])
  await lists.undoAll()
  expect(undone).toEqual([10])
  expect(lists.made.map((m) => m.undone)).toEqual(['', 'it has changed since', undefined])
  expect(lists.made.map(undoable)).toEqual([false, true, false])
  await lists.compare('path')
  expect([lists.planned, lists.made.length, lists.chosen.size]).toEqual([0, 0, 0])
})

test('a cancelled creation keeps created items, and reports nothing else', async () => {
  const { lists, created } = comparison()
  await lists.compare()
  const creating = lists.create()!
  lists.hear({ batchId: created[0].batchId!, of: 4, result: ran(0) })
  lists.cancel()
  await creating
  expect([lists.busy, lists.problem, lists.planned]).toEqual([false, '', 4])
  lists.hear({ batchId: created[0].batchId!, of: 4, result: ran(1) }) // its request was already running
  expect(lists.made).toHaveLength(2)
  await lists.compare('gone')
  expect(lists.problem).toBe('no field is called gone')
})
