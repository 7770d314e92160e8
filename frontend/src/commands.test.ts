import { afterEach, expect, test, vi } from 'vitest'
import type { App } from './state/app.svelte'

afterEach(() => void vi.unstubAllGlobals())

/** Returns the commands as the page has them on a platform. */
async function commandsOn(platform: string) {
  vi.stubGlobal('navigator', { platform })
  vi.resetModules()
  return (await import('./commands')).commandList({} as App)
}

test.each(['Linux x86_64', 'MacIntel'])('every command has a unique id and unique keys on %s', async (platform) => {
  const all = await commandsOn(platform)
  const twice = (list: string[]) => list.filter((one, i) => list.indexOf(one) !== i)
  expect(twice(all.map((c) => c.id))).toEqual([])
  expect(twice(all.flatMap((c) => [...(c.keys ?? [])]))).toEqual([])
})

test('on a Mac, no command takes the keys of the system', async () => {
  // Hide, minimize, cycle windows, move by a word: Apple's Human Interface Guidelines, Keyboards.
  const system = ['Mod+H', 'Mod+M', 'Mod+`', 'Mod+Alt+H', 'Alt+ArrowLeft', 'Alt+ArrowRight']
  const taken = (await commandsOn('MacIntel')).filter((c) => c.keys?.some((k) => system.includes(k)))
  expect(taken.map((c) => c.id)).toEqual([])
})
