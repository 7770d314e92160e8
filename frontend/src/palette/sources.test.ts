import { expect, test } from 'vitest'
import { sources } from './sources'

test('each file in sources/ adds its sources, commands first and history last', () => {
  const groups = sources.map((s) => s.group)
  expect(groups.slice(0, 2)).toEqual(['Go to', 'Run'])
  expect(groups).toContain('Alerts')
  expect(groups.at(-1)).toBe('History')
})
