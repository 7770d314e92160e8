import { expect, test } from 'vitest'
import { cellAt, eachOf, layout } from './honeycomb'

test('cells are in rows, the most severe first, and a point finds its cell', () => {
  const shape = layout([1, 2, 0, 1, 2, 18], 100, 2000)
  expect([shape.count, shape.columns]).toEqual([24, 11])
  expect([0, 1, 3, 4, 6, 23].map((cell) => shape.at(cell).sort)).toEqual([
    'critical',
    'error',
    'not responding',
    'without data',
    'healthy',
    'healthy',
  ])
  for (const cell of [0, 10, 11, 23]) {
    const { x, y } = shape.place(cell)
    expect(cellAt(shape, x, y)).toBe(cell)
  }
  expect([cellAt(shape, 500, 5), cellAt(shape, 95, shape.height - 3)]).toEqual([-1, -1])
})

test('of 100,000 devices, those with alerts have single cells, and each is in a cell', () => {
  const shape = layout([3, 11, 24, 9, 0, 99_953], 400, 2000)
  expect(shape.count).toBeLessThan(2100)
  expect([shape.at(0), shape.at(37)].map((c) => c.count)).toEqual([1, 1])
  let next = 0
  for (let cell = 0; cell < shape.count; cell++) {
    const { first, count } = shape.at(cell)
    expect(first).toBe(next)
    next += count
  }
  expect(next).toBe(100_000)
})

test('a group of thousands is limited in size, and says how many devices a cell stands for', () => {
  const cells = [100, 180, 300, 150, 0, 6371] as const
  expect(eachOf(cells, 200)).toBe(36)
  expect(layout(cells, 400, 200).count).toBeLessThan(220)
  expect(eachOf([3, 11, 24, 9, 0, 153], 200)).toBe(1)
})
