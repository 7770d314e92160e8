import { expect, test } from 'vitest'
import type { Call } from './call'
import { Fault } from './fault'
import { lookupClient } from './lookup'

type Body = { drafts: { path: string; query: { key: string; value: string }[] }[] }

/** Fakes Spyglass, which responds when the test allows it. */
function slow() {
  const sent: { paths: string[]; signal: AbortSignal; answer: (found: unknown) => void; fail: (e: Error) => void }[] =
    []
  const json = <T>(_path: string, { body, signal }: Call = {}) =>
    new Promise<T>((done, fail) => {
      const paths = (body as Body).drafts.map((d) => [d.path, ...d.query.map((q) => `${q.key}=${q.value}`)].join(' '))
      sent.push({ paths, signal: signal!, answer: (found) => done({ found } as T), fail })
    })
  return { sent, ...lookupClient({ json, request: () => Promise.reject(new Error('not used')) }) }
}
const task = () => new Promise((done) => setTimeout(done))

test('lookups of one task go in one request, and others in their own', async () => {
  const { sent, lookup } = slow()
  const first = [lookup('/a', { size: '1' }), lookup('/b')]
  await task()
  const later = lookup('/c')
  await task()
  expect(sent.map((s) => s.paths)).toEqual([['/a size=1', '/b'], ['/c']])
  sent[1].answer([{ status: 200, body: 'c' }])
  sent[0].answer([
    { status: 200, body: { total: 1 } },
    { status: 404, body: { errorMessage: 'no b' } },
  ])
  expect(await later).toBe('c')
  expect(await Promise.allSettled(first)).toEqual([
    { status: 'fulfilled', value: { total: 1 } },
    { status: 'rejected', reason: new Fault('no b', 404) },
  ])
})

test('more lookups than one request takes go in several', async () => {
  const { sent, lookup } = slow()
  for (let i = 0; i < 10; i++) void lookup(`/${i}`)
  await task()
  expect(sent.map((s) => s.paths.length)).toEqual([8, 2])
})

test('a cancelled lookup ends at once, and the request with the last one', async () => {
  const { sent, lookup } = slow()
  const stops = [0, 1, 2].map(() => new AbortController())
  const all = stops.map((s, i) => lookup(`/${i}`, {}, s.signal))
  stops[0].abort()
  await expect(all[0]).rejects.toMatchObject({ cancelled: true })
  expect(sent.map((s) => s.paths)).toEqual([['/1', '/2']])
  stops[1].abort()
  await expect(all[1]).rejects.toMatchObject({ cancelled: true })
  expect(sent[0].signal.aborted).toBe(false)
  stops[2].abort()
  await expect(all[2]).rejects.toMatchObject({ cancelled: true })
  expect(sent[0].signal.aborted).toBe(true)
})

test('an error of the request is the error of each lookup', async () => {
  const { sent, lookup } = slow()
  const all = [lookup('/a'), lookup('/b')]
  await task()
  sent[0].fail(new Fault('offline'))
  for (const one of all) await expect(one).rejects.toThrow('offline')
})
