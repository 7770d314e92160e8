import { expect, test } from 'vitest'
import { frameOf, lengthOf } from './frame'

const hour = 3600
const now = 1_008_000
const active = (age: number) => ({ startEpoch: now - age, endEpoch: 0, cleared: false })

test('a chart covers about three times the age of its alert', () => {
  expect([16, 250, 20 * 60, hour, 2 * hour, 7 * hour, 100 * hour].map((age) => lengthOf(active(age), now))).toEqual([
    600,
    1200,
    hour,
    3 * hour,
    6 * hour,
    24 * hour,
    24 * hour,
  ])
})

test('an active alert is at the end of its chart, a cleared one in the middle', () => {
  expect(frameOf(active(hour), now)).toEqual({ from: now - 3 * hour, to: now })
  const cleared = { startEpoch: now - 10 * hour, endEpoch: now - 9 * hour, cleared: true }
  expect(frameOf(cleared, now)).toEqual({ from: now - 11 * hour, to: now - 8 * hour })
  // the chart does not extend into the future
  expect(frameOf({ startEpoch: now - 100, endEpoch: now - 40, cleared: true }, now).to).toBe(now)
  // the chart shows the end of an event that is too long for it
  expect(frameOf({ startEpoch: now - 99 * hour, endEpoch: now - hour, cleared: true }, now).to).toBe(now - hour)
})

test('a chart moves in steps that show, and never into the future', () => {
  const hours = [0, 1, 35, 36, 71, 72].map((late) => frameOf(active(3000), now + late).to - now)
  expect(hours).toEqual([0, 0, 0, 36, 36, 72])
  const minutes = [0, 1, 2, 3].map((late) => frameOf(active(20), now + late).to - now)
  expect(minutes).toEqual([0, 0, 2, 2])
})
