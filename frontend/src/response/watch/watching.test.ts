import { expect, test } from 'vitest'
import { Fault, type DraftData, type Reply } from '../../client'
import type { WatchSample } from '../../client/watch'
import { emptyDraft } from '../../state/request/draft.svelte'
import { text } from './text'
import { lastOf, seriesOf, Watch } from './watching.svelte'

const draft: DraftData = { ...emptyDraft(), path: '/a' }
const sample = (at: number, values: (number | null)[], status = 200): WatchSample => ({
  at,
  status,
  ms: 5,
  bytes: 20,
  problem: '',
  changes: 1,
  more: false,
  values,
})

/** Fakes a recording in Go that has another path with each sample. */
function recording() {
  const paths = ['$.a', '$.b', '$.c']
  const samples = [sample(1000, [1]), sample(2000, [1, 2]), sample(20_000, [null, 2, 3])]
  let known = 0
  let end!: (reason: string) => void
  let refuse!: (e: unknown) => void
  const shown: string[] = []
  const client = {
    watch: (_: unknown, signal: AbortSignal) =>
      new Promise<{ samples: number; reason: string }>((yes, no) => {
        end = (reason) => yes({ samples: known, reason })
        refuse = no
        signal.addEventListener('abort', () => no(new DOMException('aborted', 'AbortError')))
      }),
    watched: async (_: string, from: number, path: number) => ({
      paths: paths.slice(path, known),
      samples: samples.slice(from, known),
      changed: [known],
      reply: { document: `d${known}` } as Reply,
    }),
    watchFileUrl: (id: string, format: string) => `${id} ${format}`,
  }
  const watch = new Watch(client, draft, { every: 5, untilPassed: false }, (reply, changed) =>
    shown.push(`${reply.document} ${changed.join()}`),
  )
  const hear = (n: number, wait = 0) => {
    known = n
    watch.hear({ watchId: watch.id, samples: n, wait })
  }
  return { watch, shown, hear, end: (reason: string) => end(reason), refuse: (e: unknown) => refuse(e) }
}

test('new samples of a recording are read once each, also during a read', async () => {
  const { watch, shown, hear, end } = recording()
  const run = watch.run()
  hear(1)
  hear(2)
  await expect.poll(() => shown).toEqual(['d1 1', 'd2 2'])
  expect(watch.announcement).toBe(text.progress(1, 1))
  hear(2)
  hear(3)
  await expect.poll(() => watch.samples.length).toBe(3)
  expect(watch.paths).toEqual(['$.a', '$.b', '$.c'])
  expect(watch.announcement).toBe(text.progress(3, 1))
  end('Stopped: all checks passed.')
  await run
  expect([watch.running, watch.ended, watch.announcement]).toEqual([
    false,
    'Stopped: all checks passed.',
    'Stopped: all checks passed.',
  ])
  expect(shown).toEqual(['d1 1', 'd2 2', 'd3 3'])
})

test('changes are not announced with each sample', async () => {
  const { watch, hear, shown } = recording()
  void watch.run()
  hear(1)
  await expect.poll(() => shown.length).toBe(1)
  hear(2)
  await expect.poll(() => shown.length).toBe(2)
  expect(watch.announcement).toBe(text.progress(1, 1))
  hear(2, 4200)
  expect(watch.announcement).toBe(text.waiting(5))
  expect(watch.waitsUntil).toBeGreaterThan(0)
  hear(3)
  expect(watch.waitsUntil).toBe(0)
})

test('a watch stops, or reports why it failed', async () => {
  const one = recording()
  const stopped = one.watch.run()
  one.watch.stop()
  await stopped
  expect([one.watch.running, one.watch.ended]).toEqual([false, text.stopped])
  const other = recording()
  const failed = other.watch.run()
  other.refuse(new Fault('3 requests are being watched', 409))
  await failed
  expect(other.watch.ended).toBe('3 requests are being watched')
})

test('series have a gap where a sample has no number', () => {
  const series = seriesOf(['$.a', '$.b'], [sample(1, [1]), sample(2, [null, 2], 0)])
  expect(series.map((s) => s.values)).toEqual([
    [5, 5],
    [20, null],
    [1, null],
    [null, 2],
  ])
  expect([[1, 2, 2], [3], [null, 4, null], []].map(lastOf)).toEqual([
    { last: 2, before: 1 },
    { last: 3, before: null },
    { last: null, before: 4 },
    { last: null, before: null },
  ])
})
