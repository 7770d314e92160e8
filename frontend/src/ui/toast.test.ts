import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Toasts } from './toast.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a message goes after six seconds, unless somebody holds it or it is to stay', () => {
  const toasts = new Toasts()
  toasts.show('Copied')
  vi.advanceTimersByTime(5999)
  expect(toasts.current?.text).toBe('Copied')
  toasts.hold()
  vi.advanceTimersByTime(60_000)
  expect(toasts.current?.text).toBe('Copied')
  toasts.leave()
  vi.advanceTimersByTime(6000)
  expect(toasts.current).toBeUndefined()
  toasts.show('No keyring', { stay: true })
  toasts.hold()
  toasts.leave()
  vi.advanceTimersByTime(60_000)
  expect(toasts.current?.text).toBe('No keyring')
})
