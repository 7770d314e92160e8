import { expect, test } from 'vitest'
import type { Command } from './command'
import { giveKeys, holder, remappable, resetKeys, takeKeys } from './keymap'

function app() {
  const declared: Command[] = [
    { id: 'send', label: 'Send', group: 'Request', keys: ['Mod+Enter', 'F5'], run() {} },
    { id: 'left', label: 'Left', group: 'View', keys: ['Mod+B'], run() {} },
  ]
  const it = {
    settings: {
      values: {} as { keys?: Record<string, string[]> },
      save(change: object) {
        it.settings.values = { ...it.settings.values, ...change }
      },
    },
    commands: { list: [] as Command[] },
  }
  it.commands.list = remappable(declared, () => it.settings.values.keys)
  return it
}
const keys = (a: ReturnType<typeof app>) => a.commands.list.map((c) => c.keys)

test('keys assigned to a command are removed from the other, which is reported', () => {
  const a = app()
  expect(holder(a.commands.list, 'Mod+B', 'send')?.id).toBe('left')
  giveKeys(a, 'send', 'Mod+B')
  expect(keys(a)).toEqual([['Mod+B'], []])
  expect(holder(a.commands.list, 'Mod+B', 'left')?.id).toBe('send')
  expect(holder(a.commands.list, 'Mod+B', 'send')).toBeUndefined()
})

test('resetting a command restores its keys, even from another command', () => {
  const a = app()
  giveKeys(a, 'send', 'Mod+B')
  resetKeys(a, 'left')
  expect(keys(a)).toEqual([[], ['Mod+B']])
  resetKeys(a, 'send')
  expect(keys(a)).toEqual([['Mod+Enter', 'F5'], ['Mod+B']])
})

test("one of two keys can be another's", () => {
  const a = app()
  giveKeys(a, 'left', 'F5')
  expect(keys(a)).toEqual([['Mod+Enter'], ['F5']])
  takeKeys(a, 'left')
  expect(keys(a)).toEqual([['Mod+Enter'], []])
})
