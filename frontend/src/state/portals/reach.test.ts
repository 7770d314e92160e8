import { expect, test } from 'vitest'
import type { App } from '../app.svelte'
import { Fault } from '../../client'
import { Reach } from './reach.svelte'

test('a portal without a response is offline until it responds, even with an error', () => {
  const reach = new Reach({ portal: { id: 3 } } as App)
  const silent = new Fault('a.example refused the connection', 502, { field: 'portal' })
  const circle = new Fault('the portal redirects in a loop', 502, { field: 'portal', answered: true })
  const texts = [silent, circle, silent, new Fault('no value', 400), undefined].map(
    (fault) => (reach.heard(3, fault), reach.problem),
  )
  expect(texts).toEqual([
    'a.example refused the connection',
    '',
    'a.example refused the connection',
    'a.example refused the connection',
    '',
  ])
  reach.heard(4, silent)
  expect(reach.problem).toBe('')
})
