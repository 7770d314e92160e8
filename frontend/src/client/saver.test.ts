import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Saver } from './saver'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('many changes are one write, at most the delay after the first', async () => {
  const write = vi.fn(async () => {})
  const saver = new Saver(write, () => {}, 300)
  for (let i = 0; i < 10; i++) {
    saver.touch()
    await vi.advanceTimersByTimeAsync(29)
  }
  expect(write).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(10)
  expect(write).toHaveBeenCalledTimes(1)
})

test('a change during a write is written after it, never in parallel', async () => {
  let running = 0
  let most = 0
  const write = vi.fn(async () => {
    most = Math.max(most, ++running)
    await new Promise((r) => setTimeout(r, 1000))
    running--
  })
  const saver = new Saver(write, () => {}, 300)
  saver.touch()
  await vi.advanceTimersByTimeAsync(400)
  saver.touch()
  await vi.advanceTimersByTimeAsync(5000)
  expect(write).toHaveBeenCalledTimes(2)
  expect(most).toBe(1)
})

test('a failed write is retried with the next flush', async () => {
  const failures: unknown[] = []
  const write = vi.fn().mockRejectedValueOnce(new Error('down')).mockResolvedValue(undefined)
  const saver = new Saver(write, (e) => failures.push(e), 300)
  saver.touch()
  await saver.flush()
  expect(failures).toHaveLength(1)
  expect(saver.dirty).toBe(true)
  await saver.flush()
  expect(write).toHaveBeenCalledTimes(2)
  expect(saver.dirty).toBe(false)
})

test('nothing is written without a change', async () => {
  const write = vi.fn(async () => {})
  await new Saver(write).flush(true)
  expect(write).not.toHaveBeenCalled()
})
