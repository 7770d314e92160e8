import { expect, test } from 'vitest'
import { place } from './anchored'

const page = { width: 1000, height: 600 }
const own = { width: 200, height: 100 }
const at = (left: number, top: number) => ({ left, right: left + 50, top, bottom: top + 20 })

test('opens below, aligned with its anchor', () => {
  expect(place(at(300, 100), own, page)).toEqual({ left: 300, top: 124, room: 468 })
  expect(place(at(300, 100), own, page, { align: 'right' }).left).toBe(150)
})

test('opens above if there is no space below and more above', () => {
  expect(place(at(300, 500), own, page)).toEqual({ left: 300, top: 396, room: 488 })
  expect(place(at(300, 250), { width: 200, height: 900 }, page)).toEqual({ left: 300, top: 274, room: 318 })
})

test('opens below if there is enough space, even if there is more above', () => {
  const tall = { width: 200, height: 300 }
  expect(place(at(300, 350), tall, page).top).toBe(46)
  expect(place(at(300, 350), tall, page, { enough: 180 })).toEqual({ left: 300, top: 374, room: 218 })
})

test('stays inside the window', () => {
  expect(place(at(990, 100), own, page).left).toBe(792)
  expect(place(at(-40, 100), own, page).left).toBe(8)
})
