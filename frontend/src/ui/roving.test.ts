import { describe, expect, test } from 'vitest'
import { named, step } from './roving'

describe('step', () => {
  test.each([
    ['ArrowRight', 0, 'row', 1],
    ['ArrowRight', 2, 'row', 0],
    ['ArrowLeft', 0, 'row', 2],
    ['ArrowDown', 0, 'row', undefined],
    ['ArrowDown', -1, 'column', 0],
    ['ArrowUp', -1, 'column', 2],
    ['ArrowUp', 2, 'column', 1],
    ['Home', 2, 'column', 0],
    ['End', 0, 'row', 2],
    ['x', 0, 'row', undefined],
  ] as const)('%s from %i of a %s', (key, at, axis, to) => {
    expect(step(key, at, 3, axis)).toBe(to)
  })

  test('stays in place in an empty list', () => {
    expect(step('End', -1, 0, 'column')).toBeUndefined()
  })
})

describe('named', () => {
  const texts = [' Copy', 'Close', 'Delete']
  const typed = (key: string, at: number, ctrlKey = false) => named({ key, ctrlKey } as KeyboardEvent, at, texts)

  test('goes to the next entry with the letter, and wraps around', () => {
    expect([typed('c', -1), typed('C', 0), typed('c', 1), typed('d', 0), typed('d', 2)]).toEqual([0, 1, 0, 2, 2])
  })

  test('leaves shortcuts, named keys and other letters alone', () => {
    expect([typed('c', -1, true), typed('Enter', -1), typed(' ', -1), typed('x', -1)]).toEqual(Array(4).fill(undefined))
  })
})
