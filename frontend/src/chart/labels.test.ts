import { expect, test } from 'vitest'
import { bundled } from './labels'
import { beyond, limitsOf } from './limits'

test('limits too close for separate labels share one', () => {
  const at = (...heights: number[]) => heights.map((y) => ({ y }))
  const heights = (groups: { y: number }[][]) => groups.map((g) => g.map((l) => l.y))
  expect(heights(bundled(at(100, 90, 83), 14))).toEqual([[83, 90, 100]])
  expect(heights(bundled(at(10, 24, 60, 65), 14))).toEqual([[10], [24], [60, 65]])
  expect(bundled([], 14)).toEqual([])
})

test('the area of a limit ends at the next one in its direction', () => {
  const [warn, error, crit] = limitsOf('daysLeft', '< 30 14 7')
  const all = [warn, error, crit]
  expect([beyond(warn, all), beyond(error, all), beyond(crit, all)]).toEqual([error, crit, undefined])
  const [low, high] = limitsOf('load', '> 60 90')
  expect([beyond(low, [high, low, warn]), beyond(high, [high, low, warn])]).toEqual([high, undefined])
})
