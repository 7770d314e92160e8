import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Live } from './live.svelte'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('changes are batched, and handled by their listeners', async () => {
  const live = new Live()
  const requested: string[] = []
  live.on(['alert', 'device'], () => void requested.push('alerts'))
  const off = live.on(['report'], () => void requested.push('reports'))
  for (let i = 0; i < 10; i++) live.hear('alert')
  live.hear('sdt')
  await vi.advanceTimersByTimeAsync(2000)
  expect(requested).toEqual(['alerts'])
  live.hear('report')
  off()
  await vi.advanceTimersByTimeAsync(5000)
  expect(requested).toEqual(['alerts'])
})

test('a pause or a broken stream delays changes', async () => {
  const live = new Live()
  let requests = 0
  live.on(['alert'], () => void requests++)
  live.pause(true)
  live.hear('alert')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([requests, live.state]).toEqual([0, 'paused'])
  live.pause(false)
  await vi.advanceTimersByTimeAsync(10)
  expect(requests).toBe(1)
  live.stream(false)
  expect(live.state).toBe('stale')
  live.stream(true)
  await vi.advanceTimersByTimeAsync(10)
  expect([requests, live.state]).toEqual([2, 'live'])
})

test('a pause also delays pending requests', async () => {
  const live = new Live()
  let requests = 0
  live.on(['alert'], () => void requests++)
  live.hear('alert')
  live.pause(true)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(requests).toBe(0)
  live.pause(false)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(requests).toBe(1)
})

test('a change during a request repeats it', async () => {
  const live = new Live()
  let requests = 0
  let answer = () => {}
  live.on(['alert'], () => {
    requests++
    return new Promise<void>((done) => (answer = done))
  })
  live.refresh()
  await vi.advanceTimersByTimeAsync(1)
  live.hear('alert')
  await vi.advanceTimersByTimeAsync(5000)
  expect(requests).toBe(1)
  answer()
  await vi.advanceTimersByTimeAsync(2000)
  expect(requests).toBe(2)
})

test('ages are at most five seconds late, and not late on a fast clock', () => {
  const live = new Live()
  live.setTime(1_000_000, 1)
  vi.advanceTimersByTime(60_000)
  expect(1_000_060_000 - live.about).toBeLessThanOrEqual(5000)
  live.setTime(1_000_000, 60)
  vi.advanceTimersByTime(60_000)
  expect(live.about).toBe(live.now)
})
