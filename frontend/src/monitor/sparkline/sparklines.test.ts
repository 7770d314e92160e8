import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pathOf } from '../../chart/spark'
import { keyOf, Sparklines, type SparkSeries } from './sparklines.svelte'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function portal() {
  const requests: number[][] = []
  let answer = 0
  const sparks = new Sparklines((series: SparkSeries[]) => {
    requests.push(series.map((s) => s.instanceId!))
    answer++
    return Promise.resolve(
      series.map((s) => ({ unit: '%', values: [s.instanceId!, answer], min: 1, max: 2, last: answer })),
    )
  })
  return { sparks, requests }
}
const of = (instanceId: number) => keyOf({ instanceId, dataPointName: 'used' })

test('sparklines of visible rows are requested together, each series once, and those scrolled past are not', async () => {
  const { sparks, requests } = portal()
  sparks.watch(of(1))
  sparks.watch(of(2))
  sparks.watch(of(1))
  sparks.watch(of(3))() // out of view again
  await vi.advanceTimersByTimeAsync(1000)
  expect(requests).toEqual([[1, 2]])
  expect(sparks.at(of(2))?.values).toEqual([2, 1])
  expect(sparks.at(of(3))).toBeUndefined()
  sparks.watch(of(2))
  sparks.watch(of(4))
  await vi.advanceTimersByTimeAsync(1000)
  expect(requests).toEqual([[1, 2], [4]])
})

test('more than 200 series are requested in batches', async () => {
  const { sparks, requests } = portal()
  for (let i = 1; i <= 450; i++) sparks.watch(of(i))
  await vi.advanceTimersByTimeAsync(2000)
  expect(requests.map((all) => all.length)).toEqual([200, 200, 50])
})

test('an update requests visible series, at most every 30 seconds, and keeps the old values until then', async () => {
  const { sparks, requests } = portal()
  const off = sparks.watch(of(1))
  sparks.watch(of(2))
  await vi.advanceTimersByTimeAsync(1000)
  off()
  sparks.refresh()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(requests).toEqual([[1, 2]])
  sparks.refresh()
  expect(sparks.at(of(2))?.last).toBe(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(requests).toEqual([[1, 2], [2]])
  expect(sparks.at(of(2))?.last).toBe(2)
})

test('a failure keeps the rows, and the next update retries', async () => {
  let fail = true
  const sparks = new Sparklines((series) =>
    fail
      ? Promise.reject(new Error('offline'))
      : Promise.resolve(series.map(() => ({ unit: '', values: [5], min: 5, max: 5, last: 5 }))),
  )
  sparks.watch(of(1))
  await vi.advanceTimersByTimeAsync(31_000)
  expect(sparks.at(of(1))).toBeUndefined()
  fail = false
  sparks.refresh()
  await vi.advanceTimersByTimeAsync(1000)
  expect(sparks.at(of(1))?.last).toBe(5)
})

test('a path has a segment for each run of values, and draws noise flat', () => {
  expect(pathOf([0, 10])).toBe('M0 14.5L100 1.5')
  expect(pathOf([0, null, 10, 5, null])).toBe('M0 14.5h0M50 1.5L75 8')
  expect(pathOf([100, 101])).toBe('M0 8.1L100 7.9')
  expect(pathOf([0, 0])).toBe('M0 14.5L100 14.5')
  expect(pathOf([null, null])).toBe('')
  expect(pathOf([])).toBe('')
})
