import { expect, test } from 'vitest'
import { parts } from './licences'

const rule = '-'.repeat(78)
const list = `Spyglass is built from the work of others, with thanks to all of them.

a.example/one v1.2.3: MIT
two 4.0.0: BSD-3-Clause OR MIT
`

test('a component list is parsed with its licences', () => {
  const text = `${list}
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

test('separators within a licence start no other component', () => {
  const own = `Permission
${'-'.repeat(70)}
Copyright of somebody

${rule}
Of the parts of others in it (see above)
${'-'.repeat(70)}
Copyright of somebody`
  expect(
    parts(
      `${list}\n${rule}\na.example/one v1.2.3 (MIT)\n\n${own}\n\n${rule}\ntwo 4.0.0 (BSD-3-Clause OR MIT)\n\nRedistribution\n`,
    ),
  ).toEqual([
    { name: 'a.example/one v1.2.3', licence: 'MIT', text: own },
    { name: 'two 4.0.0', licence: 'BSD-3-Clause OR MIT', text: 'Redistribution' },
  ])
})
