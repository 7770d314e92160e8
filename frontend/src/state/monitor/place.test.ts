import { expect, test } from 'vitest'
import type { MonitorSpot } from '../../client'
import { MonitorPlace } from './place.svelte'
import { Trail, type Visit } from './trail'

const start: Visit = { view: 'monitor', spot: { screen: 'overview' } }

/** Fakes the history of a browser. */
class Entries {
  all: unknown[]
  at = 0
  onpop: (state: unknown) => void = () => {}

  constructor(state: unknown = null) {
    this.all = [state]
  }
  get state() {
    return this.all[this.at]
  }
  pushState(state: unknown) {
    this.all = [...this.all.slice(0, ++this.at), state]
  }
  replaceState(state: unknown) {
    this.all[this.at] = state
  }
  go(by = 0) {
    this.at += by
    this.onpop(this.state)
  }
}

test('back and forward move through places with their filters', () => {
  const kept: MonitorSpot[] = []
  const trail = new Trail(({ spot }) => place.restore(spot))
  const place = new MonitorPlace((spot) => kept.push(spot), trail)
  trail.begin(start)
  place.go('alerts')
  place.set({ severity: '4', text: 'core' })
  place.set({ text: '' })
  place.go('fleet', '7')
  place.go('fleet', '7')
  expect(kept.at(-1)).toEqual({ screen: 'fleet', id: '7' })
  expect(trail.back()).toBe(true)
  expect([place.screen, place.id, place.filter('severity'), place.filter('text')]).toEqual(['alerts', '', '4', ''])
  expect(trail.back()).toBe(true)
  expect([place.screen, trail.back()]).toEqual(['overview', false])
  expect([trail.forward(), trail.forward(), trail.forward()]).toEqual([true, true, false])
  expect(place.spot).toEqual({ screen: 'fleet', id: '7' })
  trail.back()
  place.go('demo')
  expect([trail.forward(), place.screen]).toEqual([false, 'demo'])
})

test('the browser has an entry for each place, also after a reload', () => {
  const shown: Visit[] = []
  const entries = new Entries()
  const begin = (visit: Visit) => {
    const trail = new Trail((v) => shown.push(v), entries)
    entries.onpop = (state) => trail.pop(state)
    trail.begin(visit)
    return trail
  }
  const trail = begin(start)
  trail.push({ spot: { screen: 'fleet' } })
  trail.push({ view: 'api' })
  trail.push({ view: 'api' })
  trail.push({ view: 'monitor', spot: { screen: 'fleet', id: '7' } })
  trail.update({ spot: { screen: 'fleet', id: '7', filters: { tab: 'alerts' } } })
  expect(entries.all).toHaveLength(4)
  entries.go(-1)
  expect(shown.at(-1)).toEqual({ view: 'api', spot: { screen: 'fleet' } })
  entries.go(1)
  expect(shown.at(-1)?.spot.filters).toEqual({ tab: 'alerts' })
  expect(trail.back('monitor')).toBe(true)
  expect(shown.at(-1)).toEqual({ view: 'monitor', spot: { screen: 'fleet' } })

  const again = begin(shown.at(-1)!)
  expect(again.back()).toBe(false) // the previous entry may be another page
  again.push({ spot: { screen: 'alerts' } })
  entries.go(-2)
  expect(shown.at(-1)).toEqual(start)
})

test('a link entered as the address is one entry', () => {
  const entries = new Entries()
  const trail = new Trail(() => {}, entries)
  trail.begin(start)
  entries.pushState(null) // as the browser does for a link
  trail.pop(null)
  trail.arrived()
  trail.push({ spot: { screen: 'fleet' } })
  expect(entries.all).toEqual([
    { at: 0, visit: start },
    { at: 1, visit: { view: 'monitor', spot: { screen: 'fleet' } } },
  ])
})
