import { expect, test } from 'vitest'
import { Lookups } from './lookups'

/** Fakes a portal that responds when the test allows it. */
function slow() {
  const sent: { path: string; signal: AbortSignal; answer: (value: unknown) => void; fail: (e: Error) => void }[] = []
  const lookup = <T>(path: string, _query?: Record<string, string>, signal?: AbortSignal) =>
    new Promise<T>((answer, fail) => {
      sent.push({ path, signal: signal!, answer: answer as (value: unknown) => void, fail })
      signal!.addEventListener('abort', () => fail(signal!.reason as Error))
    })
  return { sent, lookups: new Lookups({ lookup }, () => 0) }
}

test('equal requests are sent once, and a cancelled one does not affect the others', async () => {
  const { sent, lookups } = slow()
  const [first, second] = [new AbortController(), new AbortController()]
  const gone = lookups.get('/a', {}, first.signal, 0)
  const waits = lookups.get('/a', {}, second.signal, 0)
  first.abort(new Error('enough'))
  await expect(gone).rejects.toThrow('enough')
  expect(sent.map((s) => [s.path, s.signal.aborted])).toEqual([['/a', false]])
  sent[0].answer('yes')
  expect(await waits).toBe('yes')
  second.abort()
  expect(await lookups.get('/a', {}, new AbortController().signal, 0)).toBe('yes')
  expect(sent).toHaveLength(1)
})

test('a request without listeners is cancelled, and a failed one is retried', async () => {
  const { sent, lookups } = slow()
  const all = [new AbortController(), new AbortController()]
  const answers = all.map((a) => lookups.get('/a', {}, a.signal, 0))
  for (const a of all) a.abort(new Error('enough'))
  for (const answer of answers) await expect(answer).rejects.toThrow('enough')
  expect(sent[0].signal.aborted).toBe(true)
  const failing = lookups.get('/a', {}, new AbortController().signal, 0)
  sent[1].fail(new Error('out of order'))
  await expect(failing).rejects.toThrow('out of order')
  const again = lookups.get('/a', {}, new AbortController().signal, 0)
  sent[2].answer('yes')
  expect(await again).toBe('yes')
})
