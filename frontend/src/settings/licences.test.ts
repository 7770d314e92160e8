import { expect, test } from 'vitest'
import { parts } from './licences'

test('a list of parts is read with the licence of each', () => {
  const rule = '-'.repeat(78)
  const text = `Spyglass is built from the work of others, with thanks to all of them.

a.example/one v1.2.3: MIT
two 4.0.0: BSD-3-Clause OR MIT

${rule}
a.example/one v1.2.3 (MIT)

Permission is hereby granted
--- to all ---

${rule}
two 4.0.0 (BSD-3-Clause OR MIT)

Redistribution
`
  expect(parts(text)).toEqual([
    { name: 'a.example/one v1.2.3', licence: 'MIT', text: 'Permission is hereby granted\n--- to all ---' },
    { name: 'two 4.0.0', licence: 'BSD-3-Clause OR MIT', text: 'Redistribution' },
  ])
  expect(parts('')).toEqual([])
})
