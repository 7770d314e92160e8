import { expect, test, vi } from 'vitest'
import { App } from './app.svelte'
import { recentsOf } from './recents'
import { Fault, type Client, type Listener, type Start } from '../client'
import { fakeClient, fakeViews } from '../fakes/client'
import { nowhere } from './portals/place'

const far = { ...nowhere, id: 7, name: 'Far away', remote: true, address: 'far.example:8443' }

/** Starts a page with the built-in portal and a remote portal; `last` is the id of the portal shown last. */
async function begin(last = 0) {
  const client = fakeClient(new URLSearchParams())
  const begun = (await client.start()) as Start
  const portals = [begun.portal, far]
  const start = (id: number) => vi.fn(async () => ({ ...begun, portals, portal: portals.find((p) => p.id === id)! }))
  const away = { ...client, start: start(7), portals: { ...client.portals, test: vi.fn(client.portals.test) } }
  Object.assign(client, { start: start(last), at: () => away })
  const app = new App(client, fakeViews())
  await app.load()
  return { app, client, away }
}

/** Starts a page whose client has other functions, and returns what receives its events. */
async function listening(other: Partial<Client> = {}) {
  let to: Listener = {}
  const client = Object.assign(
    fakeClient(new URLSearchParams()),
    { listen: (l: Listener) => ((to = l), () => {}) },
    other,
  )
  const app = new App(client, fakeViews())
  await app.load()
  return { app, client, to }
}

test('an endpoint opens in an untouched tab, or in a new one on request', async () => {
  const { app } = await begin()
  const [first, second] = app.catalog.endpoints
  const tab = app.navigation.newTab()
  expect(app.navigation.chooseEndpoint(first)).toBe(tab)
  expect(app.navigation.chooseEndpoint(second, true)).not.toBe(tab)
  expect(tab.draft.path).toBe(first.path)
})

test('recent endpoints belong to a portal', async () => {
  const { app } = await begin()
  const [first, second] = app.catalog.endpoints
  app.navigation.chooseEndpoint(first)
  await app.portals.switchTo(7)
  expect(recentsOf(app)).toEqual([])
  app.navigation.chooseEndpoint(second)
  app.navigation.chooseEndpoint(first)
  expect(recentsOf(app)).toEqual([first.id, second.id])
  await app.portals.switchTo(0)
  expect([recentsOf(app), app.settings.values.recents, app.settings.values.recentsAt]).toEqual([
    [first.id],
    [first.id],
    { 7: [first.id, second.id] },
  ])
})

test('sending makes an endpoint the most recent one of its portal, also if its path was typed', async () => {
  const { app, away } = await begin()
  await app.portals.switchTo(7)
  await app.catalog.settled
  const [first, second] = app.catalog.endpoints
  app.navigation.chooseEndpoint(second)
  const { draft } = app.navigation.newTab()
  draft.setPath(first.path)
  away.send = () => new Promise(() => {})
  void draft.send()
  expect(recentsOf(app)).toEqual([first.id, second.id])
  await app.portals.switchTo(0)
  expect([recentsOf(app, 7), recentsOf(app)]).toEqual([[first.id, second.id], []])
})

test('a view change is stored before it is shown, so that a reload restores it', async () => {
  const { app, client } = await begin()
  let keep = () => {}
  const write = vi.fn(
    (change: typeof client.settings) => new Promise<typeof client.settings>((done) => (keep = () => done(change))),
  )
  client.saveSettings = write
  const switched = app.portals.switchTo(7)
  await expect.poll(() => write.mock.calls).toEqual([[{ activePortal: 7 }]])
  expect(app.portal.name).toBe('Demo portal')
  keep()
  await switched
  expect(app.portal.name).toBe('Far away')
})

test('the quota is that of the last fetched page and the shown portal', async () => {
  const { app, to } = await listening({ pages: () => new Promise(() => {}) })
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' })
  const { draft } = app.navigation.newTab()
  void draft.sendAll()
  await vi.waitFor(() => expect(draft.run).toBeDefined())
  const quota = { limit: 500, remaining: 12, window: 60 }
  const progress = {
    sendId: draft.sendId,
    state: 'waiting' as const,
    page: 7,
    pages: 13,
    items: 350,
    total: 640,
    ms: 4100,
    wait: 20_000,
    quota,
  }
  to.pages?.(progress)
  expect([app.activity.quota, draft.run]).toEqual([quota, progress])
  to.pages?.({ ...progress, quota: null })
  to.pages?.({ ...progress, sendId: 'of another window', quota: { ...quota, remaining: 0 } })
  expect(app.activity.quota).toEqual(quota)
  draft.abort()
  vi.unstubAllGlobals()
})

test('what changes while no stream is open is reloaded when it opens', async () => {
  const { app, client, to } = await listening()
  const names = () => app.variables.all.map((v) => v.name)
  const before = names()
  const { historyVersion } = app.activity
  await client.variables.create({ name: 'ofAnotherWindow', value: '7' })
  to.stream?.(true)
  await vi.waitFor(() => expect(names()).toHaveLength(before.length + 1))
  expect(app.activity.historyVersion).toBe(historyVersion) // it is read after the start
  to.stream?.(false)
  to.stream?.(true)
  expect(app.activity.historyVersion).toBe(historyVersion + 1)
})

test('edits that could not be saved are saved when the portal can save again', async () => {
  const { app, client, to } = await listening()
  const tab = app.navigation.newTab()
  const id = await tab.stored()
  for (const [path, back] of [
    ['/a', () => to.stream?.(true)],
    ['/b', () => to.storage?.({ problem: '' })],
  ] as const) {
    vi.spyOn(client.tabs, 'update').mockRejectedValueOnce(new Fault('the portal does not respond', 0))
    tab.draft.setPath(path)
    tab.saver.touch()
    await tab.saver.flush()
    expect(app.toasts.current?.text).toContain('the portal does not respond')
    back()
    await vi.waitFor(async () => expect((await client.tabs.get(id)).draft.path).toBe(path))
  }
})

test('a read-only portal is announced once, before saving, until it is writable', async () => {
  const { app, to } = await listening()
  to.storage?.({ problem: '' })
  expect(app.toasts.current).toBeUndefined()
  const problem = 'portal.db is damaged, and read-only until it is repaired'
  to.storage?.({ problem })
  expect(app.toasts.current).toMatchObject({ text: `Not saved: ${problem}`, stay: true, tone: 'error' })
  app.toasts.dismiss()
  to.storage?.({ problem }) // the stream has reconnected
  expect(app.toasts.current).toBeUndefined()
  to.storage?.({ problem: 'the data folder is gone' })
  to.storage?.({ problem: '' })
  expect(app.toasts.current).toBeUndefined()
})

test('a remote portal that does not respond shows its tabs and the reason until it responds', async () => {
  const { app, away } = await begin(7)
  expect([app.portal.name, app.workspace.tabs.length, app.reach.problem]).toEqual(['Far away', 4, ''])
  const why = 'far.example:8443 refused the connection; check that the portal is running'
  away.portals.test.mockRejectedValueOnce(new Fault(why, 502, { field: 'portal' }))
  await app.reach.check()
  expect([app.reach.problem, app.toasts.current?.text, app.toasts.current?.action?.label]).toEqual([
    why,
    `Far away is unavailable: ${why}. Its tabs are open.`,
    'Try again',
  ])
  app.toasts.current?.action?.run()
  await expect.poll(() => app.reach.problem).toBe('')
})

test('the last view is loaded before the page is ready, and its commands wait for it', async () => {
  const { start } = fakeClient(new URLSearchParams())
  const client = Object.assign(fakeClient(new URLSearchParams()), {
    start: async () => ({ ...(await start())!, settings: { view: 'monitor' as const, monitor: { screen: 'none' } } }),
  })
  const views = fakeViews()
  let come = () => {}
  const coming = new Promise<void>((done) => (come = done))
  const app = new App(client, { ...views, api: () => coming.then(views.api) })
  await app.load()
  expect([app.session.phase, app.navigation.parts.monitor.component === undefined]).toEqual(['ready', false])
  const calls: string[] = []
  app.commands.offer('path.focus', () => calls.push('path'))
  app.navigation.newTab()
  await new Promise((done) => setTimeout(done))
  expect([app.navigation.view, app.navigation.parts.api.component, calls]).toEqual(['api', undefined, []])
  come()
  await vi.waitFor(() => expect(calls).toEqual(['path']))
  expect(app.navigation.parts.api.component).toBeDefined()
})

test('the code of the view loads in parallel with the start request', async () => {
  let come = () => {}
  const answered = new Promise<void>((done) => (come = done))
  const { start } = fakeClient(new URLSearchParams())
  const app = new App(
    Object.assign(fakeClient(new URLSearchParams()), { start: () => answered.then(start) }),
    fakeViews(),
  )
  const loading = app.load({ view: 'api' })
  await vi.waitFor(() =>
    expect([app.session.phase, app.navigation.parts.api.component === undefined]).toEqual(['loading', false]),
  )
  come()
  await loading
  expect(app.session.phase).toBe('ready')
})

test('a view that cannot be loaded is reported, and loaded again', async () => {
  const { client } = await begin()
  const views = fakeViews()
  let fail = true
  const app = new App(client, { ...views, api: () => (fail ? Promise.reject(new Error('gone')) : views.api()) })
  await app.load()
  app.navigation.go('api')
  await app.navigation.shown()
  expect(app.toasts.current?.text).toBe('Could not load this part of the page. Reload the page.')
  fail = false
  app.navigation.go('api')
  await app.navigation.shown()
  expect(app.navigation.parts.api.component).toBeDefined()
})

test('a closed start notice returns only if it changed or was gone', async () => {
  const client = fakeClient(new URLSearchParams())
  const start = (await client.start()) as Start
  let settings = {}
  client.saveSettings = async (change) => {
    return (settings = Object.fromEntries(Object.entries({ ...settings, ...change }).filter(([, v]) => v !== null)))
  }
  const shown = async (notice: string | null) => {
    client.start = async () => ({ ...start, settings, notice })
    const app = new App(client, fakeViews())
    await app.load()
    const { current } = app.toasts
    return { text: current?.text, close: () => (app.toasts.close(), app.flush()), flush: () => app.flush() }
  }
  const first = await shown('No keyring')
  expect([first.text, (await shown('No keyring')).text]).toEqual(['No keyring', 'No keyring']) // both are still open
  await first.close()
  expect([(await shown('No keyring')).text, (await shown('Settings reset')).text]).toEqual([
    undefined,
    'Settings reset',
  ])
  await (await shown(null)).flush()
  expect((await shown('No keyring')).text).toBe('No keyring')
})
