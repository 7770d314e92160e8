import { expect, test } from 'vitest'
import { beside } from './steps'

const page = { width: 1280, height: 800 }
const card = { width: 320, height: 160 }

test('the card is right of a part, left of one at the edge, and inside one that fills the page', () => {
  expect(beside({ left: 0, top: 80, right: 252, bottom: 772 }, card, page)).toEqual({ left: 264, top: 128 })
  expect(beside({ left: 992, top: 80, right: 1280, bottom: 772 }, card, page)).toEqual({ left: 660, top: 128 })
  expect(beside({ left: 0, top: 80, right: 1280, bottom: 772 }, card, page)).toEqual({ left: 480, top: 346 })
})

test('the card stays in the page', () => {
  expect(beside({ left: 0, top: 700, right: 252, bottom: 772 }, card, page).top).toBe(628)
  expect(beside({ left: 0, top: 0, right: 300, bottom: 400 }, card, { width: 310, height: 400 })).toEqual({
    left: 12,
    top: 120,
  })
})
