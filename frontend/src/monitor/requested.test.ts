import { expect, test } from 'vitest'
import type { App } from '../state/app.svelte'
import { Requested } from './requested.svelte'

test('an unchanged response is not drawn again, but updates the age', async () => {
  let critical = 2
  let updated = 0
  const app = { client: { monitor: {} }, live: { updated: () => updated++ } } as unknown as App
  const requested = new Requested(app, () => Promise.resolve({ critical, raised: [1, 2] }))
  await requested.load()
  const first = requested.value
  await requested.load()
  expect(requested.value).toBe(first)
  critical = 3
  await requested.load()
  expect([requested.value, updated]).toEqual([{ critical: 3, raised: [1, 2] }, 3])
})
