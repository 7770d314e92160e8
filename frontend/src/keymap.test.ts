import { expect, test } from 'vitest'
import type { App } from './app.svelte'
import { commandList, type Command } from './commands'
import { giveKeys, holder, remappable, resetKeys, takeKeys } from './keymap'

function app() {
  const declared: Command[] = [
    { id: 'send', label: 'Send', group: 'Request', keys: ['Mod+Enter', 'F5'], run() {} },
    { id: 'left', label: 'Left', group: 'View', keys: ['Mod+B'], run() {} },
  ]
  const it = {
    settings: {} as { keys?: Record<string, string[]> },
    commands: [] as Command[],
    save(change: object) {
      it.settings = { ...it.settings, ...change }
    },
  }
  it.commands = remappable(declared, () => it.settings.keys)
  return it as typeof it & App
}
const keys = (a: App) => a.commands.map((c) => c.keys)

test('keys given to one are taken from the other, and who has them is known', () => {
  const a = app()
  expect(holder(a.commands, 'Mod+B', 'send')?.id).toBe('left')
  giveKeys(a, 'send', 'Mod+B')
  expect(keys(a)).toEqual([['Mod+B'], []])
  expect(holder(a.commands, 'Mod+B', 'left')?.id).toBe('send')
  expect(holder(a.commands, 'Mod+B', 'send')).toBeUndefined()
})

test('the declared keys come back, from whoever has them meanwhile', () => {
  const a = app()
  giveKeys(a, 'send', 'Mod+B')
  resetKeys(a, 'left')
  expect(keys(a)).toEqual([[], ['Mod+B']])
  resetKeys(a, 'send')
  expect(keys(a)).toEqual([['Mod+Enter', 'F5'], ['Mod+B']])
})

test('one of two keys can be another\'s', () => {
  const a = app()
  giveKeys(a, 'left', 'F5')
  expect(keys(a)).toEqual([['Mod+Enter'], ['F5']])
  takeKeys(a, 'left')
  expect(keys(a)).toEqual([['Mod+Enter'], []])
})

test('every command has an id of its own and keys that no other has', () => {
  const all = commandList({} as App)
  const twice = (list: string[]) => list.filter((one, i) => list.indexOf(one) !== i)
  expect(twice(all.map((c) => c.id))).toEqual([])
  expect(twice(all.flatMap((c) => [...(c.keys ?? [])]))).toEqual([])
})
