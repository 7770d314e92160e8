import { afterEach, expect, test, vi } from 'vitest'
import { httpClient } from './http'

afterEach(() => vi.unstubAllGlobals())

test('edits are saved when the page closes, as far as browsers allow', async () => {
  const kept: boolean[] = []
  const answers: (() => void)[] = []
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    kept.push(init.keepalive === true)
    return new Promise((done) => answers.push(() => done(new Response('{}'))))
  })
  const client = httpClient()
  const draft = (bytes: number) => ({ draft: { body: 'ü'.repeat(bytes / 2) } }) as never
  const writes = [
    client.saveSettings({ activePortal: 7 }),
    client.tabs.update(1, draft(40_000)),
    client.tabs.update(2, draft(40_000)),
    client.tabs.create({ position: 1 } as never),
  ]
  expect(kept).toEqual([true, true, false, true])
  answers.forEach((answer) => answer())
  await Promise.all(writes)
  void client.tabs.update(2, draft(40_000))
  void client.catalog()
  expect(kept.slice(4)).toEqual([true, false])
})
