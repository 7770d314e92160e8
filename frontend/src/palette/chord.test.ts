import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Chord } from './chord'

const press = (key: string, more = {}) => ({
  key,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  ...more,
})

let fired = 0
let chord: Chord

beforeEach(() => {
  vi.useFakeTimers()
  fired = 0
  chord = new Chord(() => fired++)
  chord.arm()
})
afterEach(() => vi.useRealTimers())

test('m as the first key, followed by no key for 400 ms, is the chord', () => {
  chord.key(press('m'))
  vi.advanceTimersByTime(399)
  expect(fired).toBe(0)
  vi.advanceTimersByTime(1)
  expect(fired).toBe(1)
  vi.advanceTimersByTime(5000)
  expect(fired).toBe(1)
})

test('another key within 400 ms makes it a search', () => {
  chord.key(press('m'))
  vi.advanceTimersByTime(200)
  chord.key(press('o'))
  vi.advanceTimersByTime(1000)
  expect(fired).toBe(0)
})

test('m as the second key is a search', () => {
  chord.key(press('o'))
  chord.key(press('m'))
  vi.advanceTimersByTime(1000)
  expect(fired).toBe(0)
})

test('a capital, a held or a composing m is a search', () => {
  for (const more of [{ shiftKey: true, key: 'M' }, { repeat: true }, { isComposing: true }, { altKey: true }]) {
    chord.arm()
    chord.key(press('m', more))
    vi.advanceTimersByTime(1000)
  }
  expect(fired).toBe(0)
})

test('the modifier may be released and pressed again before the m', () => {
  chord.key(press('Control'))
  chord.key(press('m'))
  vi.advanceTimersByTime(400)
  expect(fired).toBe(1)
})

test('caps lock does not hide the chord', () => {
  chord.key(press('M'))
  vi.advanceTimersByTime(400)
  expect(fired).toBe(1)
})

test('closing the palette cancels the chord', () => {
  chord.key(press('m'))
  chord.cancel()
  vi.advanceTimersByTime(1000)
  expect(fired).toBe(0)
})
