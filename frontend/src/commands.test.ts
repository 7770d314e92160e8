import { expect, test } from 'vitest'
import { commandList } from './commands'
import type { App } from './state/app.svelte'

test('every command has a unique id and unique keys', () => {
  const all = commandList({} as App)
  const twice = (list: string[]) => list.filter((one, i) => list.indexOf(one) !== i)
  expect(twice(all.map((c) => c.id))).toEqual([])
  expect(twice(all.flatMap((c) => [...(c.keys ?? [])]))).toEqual([])
})
