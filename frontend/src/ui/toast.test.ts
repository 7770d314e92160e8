import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Toasts } from './toast.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a message disappears after six seconds unless it is hovered or permanent', () => {
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

test('past messages are kept, and undone ones are marked', async () => {
  const toasts = new Toasts()
  let undone = 0
  toasts.show('Deleted web-1', { undo: () => Promise.resolve(++undone < 2) })
  const [deleted] = toasts.past
  toasts.show('Copied')
  vi.advanceTimersByTime(60_000)
  expect(toasts.past.map((t) => t.text)).toEqual(['Copied', 'Deleted web-1'])

  const [undo] = toasts.actionsOf(deleted)
  expect(undo.label).toBe('Undo')
  toasts.run(deleted, undo)
  await vi.advanceTimersByTimeAsync(0)
  expect(toasts.current?.text).toBe('Undone: Deleted web-1')
  expect(toasts.actionsOf(toasts.past[2])).toEqual([])

  toasts.show('Deleted web-2', { undo: () => Promise.resolve(++undone < 2) })
  toasts.run(toasts.past[0], toasts.actionsOf(toasts.past[0])[0])
  await vi.advanceTimersByTimeAsync(0)
  expect(toasts.past[0].text).toBe('Deleted web-2') // the failure has its own message

  for (let n = 0; n < 100; n++) toasts.show(`Message ${n}`)
  expect([toasts.past.length, toasts.past[29].text]).toEqual([30, 'Message 70'])
})

test('undo reverts the last undoable message, each once', async () => {
  const toasts = new Toasts()
  const undone: string[] = []
  const undo = (what: string) => () => Promise.resolve(undone.push(what) > 0)
  toasts.undo()
  toasts.show('Deleted web-1', { undo: undo('web-1') })
  toasts.show('Deleted web-2', { undo: undo('web-2') })
  expect(toasts.offersUndo).toBe(true)
  toasts.show('Copied')
  expect([toasts.offersUndo, toasts.undoable?.text]).toEqual([false, 'Deleted web-2'])
  for (let n = 0; n < 3; n++) {
    toasts.undo()
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(undone).toEqual(['web-2', 'web-1'])
  expect([toasts.undoable, toasts.current?.text]).toEqual([undefined, 'Undone: Deleted web-1'])
})
