import { expect, test } from 'vitest'
import type { MonitorSpot } from '../../client'
import { MonitorPlace } from './place.svelte'

test('back and forward go through the places, and filters belong to each', () => {
  const kept: MonitorSpot[] = []
  const place = new MonitorPlace((spot) => kept.push(spot))
  place.go('alerts')
  place.set({ severity: '4', text: 'core' })
  place.set({ text: '' })
  place.go('fleet', '7')
  place.go('fleet', '7')
  expect(place.back()).toBe(true)
  expect([place.screen, place.id, place.filter('severity'), place.filter('text')]).toEqual(['alerts', '', '4', ''])
  expect(place.back()).toBe(true)
  expect([place.screen, place.back()]).toEqual(['overview', false])
  expect([place.forward(), place.forward(), place.forward()]).toEqual([true, true, false])
  expect(kept.at(-1)).toEqual({ screen: 'fleet', id: '7' })
  place.back()
  place.go('demo')
  expect([place.forward(), place.screen]).toEqual([false, 'demo'])
})
