import { expect, test } from 'vitest'
import { Windows } from './windows.svelte'

const rows = (offset: number, size: number, name = 'row') =>
  Array.from({ length: size }, (_, i) => `${name} ${offset + i}`)
const done = () => new Promise((r) => setTimeout(r))

test('only visible windows are requested, each once', async () => {
  const requests: number[] = []
  const list = new Windows((offset, size) => {
    requests.push(offset)
    return Promise.resolve({ total: 100_000, items: rows(offset, size) })
  })
  list.show(0, 30)
  list.show(10, 40)
  await done()
  list.show(90_050, 90_120)
  expect(list.at(90_060)).toBeUndefined()
  await done()
  expect(requests).toEqual([0, 90_000, 90_100])
  expect([list.total, list.at(3), list.at(90_119)]).toEqual([100_000, 'row 3', 'row 90119'])
})

test('missing rows of a range are requested, and not cached', async () => {
  const requests: string[] = []
  const list = new Windows((offset, size) => {
    requests.push(`${offset}+${size}`)
    return Promise.resolve({ total: 5000, items: rows(offset, Math.min(size, 5000 - offset)) })
  })
  list.show(0, 30)
  await done()
  expect(await list.between(98, 1203)).toEqual(rows(98, 1106))
  expect(await list.between(1, 3)).toEqual(rows(1, 3))
  expect(requests).toEqual(['0+100', '100+1000', '1100+104'])
  expect(list.at(150)).toBeUndefined()
})

test('old rows stay until new ones arrive, also after a failure', async () => {
  let name = 'old'
  let fail = false
  const list = new Windows((offset, size) =>
    fail ? Promise.reject(new Error('no answer')) : Promise.resolve({ total: 5, items: rows(offset, size, name) }),
  )
  list.show(0, 4)
  await done()
  name = 'new'
  const reloading = list.reload()
  expect(list.at(2)).toBe('old 2')
  await reloading
  expect(list.at(2)).toBe('new 2')
  fail = true
  await list.reload()
  expect([list.at(2), list.fault?.message]).toEqual(['new 2', 'no answer'])
  fail = false
  await list.reload()
  expect(list.fault).toBeUndefined()
})

test('the row count arrives with the rows', async () => {
  const list = new Windows((offset, size) => Promise.resolve({ total: 5, items: rows(offset, size) }))
  void list.reload()
  let bare = false
  for (let i = 0; i < 50; i++) {
    await Promise.resolve()
    bare ||= list.total !== undefined && list.at(0) === undefined
  }
  expect([list.total, list.at(0), bare]).toEqual([5, 'row 0', false])
})

test('unchanged rows are not rendered again', async () => {
  let status = 'ok'
  const list = new Windows(() => Promise.resolve({ total: 1, items: [{ id: 1, status }] }))
  list.show(0, 0)
  await done()
  const row = list.at(0)
  await list.reload()
  expect(list.at(0)).toBe(row)
  status = 'dead'
  await list.reload()
  expect(list.at(0)).toEqual({ id: 1, status: 'dead' })
})

test('a response to an outdated request is ignored', async () => {
  const answers: ((page: { total: number; items: string[] }) => void)[] = []
  const list = new Windows<string>(() => new Promise((answer) => answers.push(answer)))
  list.show(0, 4)
  const reloading = list.reload()
  answers[1]({ total: 1, items: ['second'] })
  await reloading
  answers[0]({ total: 9, items: ['first'] })
  await done()
  expect([list.total, list.at(0)]).toEqual([1, 'second'])
})

test('a held list updates values but no rows, until it is released', async () => {
  let items = [
    { id: 1, acked: false },
    { id: 2, acked: false },
  ]
  const list = new Windows(() => Promise.resolve({ total: items.length, items }))
  list.show(0, 3)
  await done()
  list.hold(true)
  items = [
    { id: 3, acked: false },
    { id: 2, acked: true },
  ]
  await list.follow()
  expect([list.at(0), list.at(1), list.total]).toEqual([{ id: 1, acked: false }, { id: 2, acked: true }, 2])
  expect(list.waiting).toBe(1)
  list.hold(false)
  expect([list.at(0), list.at(1), list.waiting]).toEqual([{ id: 3, acked: false }, { id: 2, acked: true }, 0])
})

test('a new filter or order is shown at once, also in a held list', async () => {
  let items = [{ id: 1 }]
  const list = new Windows(() => Promise.resolve({ total: items.length, items }))
  list.show(0, 3)
  await done()
  list.hold(true)
  items = [{ id: 2 }]
  await list.follow()
  await list.reload()
  expect([list.at(0), list.waiting]).toEqual([{ id: 2 }, 0])
})
