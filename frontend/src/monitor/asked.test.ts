import { expect, test } from 'vitest'
import type { App } from '../state/app.svelte'
import { Asked } from './asked.svelte'

test('an unchanged response is not drawn again, but updates the age', async () => {
  let critical = 2
  let updated = 0
  const app = { client: { monitor: {} }, live: { updated: () => updated++ } } as unknown as App
  const asked = new Asked(app, () => Promise.resolve({ critical, raised: [1, 2] }))
  await asked.load()
  const first = asked.value
  await asked.load()
  expect(asked.value).toBe(first)
  critical = 3
  await asked.load()
  expect([asked.value, updated]).toEqual([{ critical: 3, raised: [1, 2] }, 3])
})
