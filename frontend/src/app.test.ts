import { expect, test, vi } from 'vitest'
import { App } from './app.svelte'
import { Fault, type Start } from './client'
import { fakeClient } from './fake'
import { nowhere } from './portals/place'

const far = { ...nowhere, id: 7, name: 'Far away', remote: true, address: 'far.example:8443' }

/** A page with the built-in portal and a remote one; `last` was looked at last. */
async function begin(last = 0) {
  const client = fakeClient(new URLSearchParams())
  const begun = (await client.start()) as Start
  const portals = [begun.portal, far]
  const start = (id: number) => vi.fn(async () => ({ ...begun, portals, portal: portals.find((p) => p.id === id)! }))
  const away = { ...client, start: start(7), portals: { ...client.portals, test: vi.fn(client.portals.test) } }
  Object.assign(client, { start: start(last), at: () => away })
  const app = new App(client)
  await app.load()
  return { app, client, away }
}

test('an endpoint takes an untouched tab, or one of its own when that is wanted', async () => {
  const { app } = await begin()
  const [first, second] = app.catalog.endpoints
  const tab = app.newTab()
  expect(app.chooseEndpoint(first)).toBe(tab)
  expect(app.chooseEndpoint(second, true)).not.toBe(tab)
  expect(tab.draft.path).toBe(first.path)
})

test('a switch is kept before it is seen, so that a reload comes back to it', async () => {
  const { app, client } = await begin()
  let keep = () => {}
  const write = vi.fn((change: typeof client.settings) => new Promise<typeof client.settings>((done) => (keep = () => done(change))))
  client.saveSettings = write
  const switched = app.portals.switchTo(7)
  await expect.poll(() => write.mock.calls).toEqual([[{ activePortal: 7 }]])
  expect(app.portal.name).toBe('Demo portal')
  keep()
  await switched
  expect(app.portal.name).toBe('Far away')
})

test('a remote portal that does not answer shows its tabs and says why, until it answers', async () => {
  const { app, away } = await begin(7)
  expect([app.portal.name, app.workspace.tabs.length, app.reach.problem]).toEqual(['Far away', 4, ''])
  const why = 'nothing answers at far.example:8443: the connection was refused'
  away.portals.test.mockRejectedValueOnce(new Fault(why, 502, { field: 'portal' }))
  await app.reach.ask()
  expect([app.reach.problem, app.toasts.current?.text, app.toasts.current?.action?.label]).toEqual([why, `Far away cannot be used now: ${why}. Its tabs are here.`, 'Try again'])
  app.toasts.current?.action?.run()
  await expect.poll(() => app.reach.problem).toBe('')
})
