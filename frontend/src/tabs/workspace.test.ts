import { describe, expect, test, vi } from 'vitest'
import { Catalog } from '../catalog/catalog.svelte'
import { fakeClient } from '../fake'
import { Workspace } from './workspace.svelte'

async function setUp(params = 'empty') {
  const client = fakeClient(new URLSearchParams(params))
  const catalog = new Catalog(client)
  await catalog.load()
  const workspace = new Workspace(client, catalog)
  const start = await client.start()
  workspace.restore(start!.tabs, start!.settings.activeTab)
  return { client, catalog, workspace }
}

describe('the name of a tab', () => {
  test('is method and path, and follows every edit', async () => {
    const { workspace } = await setUp()
    const tab = workspace.open()
    tab.draft.setPath('/d')
    expect(tab.title).toBe('GET /d')
    tab.draft.setPath('/device/devices')
    expect(tab.title).toBe('GET /device/devices')
    tab.draft.setMethod('POST')
    expect(tab.title).toBe('POST /device/devices')
  })

  test('stays once renamed by hand, until renamed to nothing', async () => {
    const { workspace } = await setUp()
    const tab = workspace.open()
    workspace.rename(tab, '  My devices ')
    tab.draft.setPath('/device/devices')
    expect(tab.title).toBe('My devices')
    workspace.rename(tab, '')
    expect(tab.title).toBe('GET /device/devices')
  })
})

describe('choosing an endpoint', () => {
  test('fills an untouched tab and marks it unchanged', async () => {
    const { workspace, catalog } = await setUp()
    const tab = workspace.open()
    expect(workspace.choose(catalog.byId('POST /device/devices')!)).toBe(tab)
    expect(tab.title).toBe('POST /device/devices')
    expect(tab.changed).toBe(false)
  })

  test('never overwrites an edited request', async () => {
    const { workspace, catalog } = await setUp()
    const tab = workspace.open()
    tab.draft.setPath('/mine')
    const other = workspace.choose(catalog.byId('GET /device/groups')!)
    expect(other).not.toBe(tab)
    expect(tab.draft.path).toBe('/mine')
    expect(workspace.active).toBe(other)
  })
})

test('a changed tab has its dot until it is saved', async () => {
  const { workspace } = await setUp()
  const tab = workspace.open()
  expect(tab.changed).toBe(false)
  tab.draft.setPath('/device/devices')
  expect(tab.changed).toBe(true)
  tab.save()
  expect(tab.changed).toBe(false)
})

test('the tabs come back in their order, with the active one', async () => {
  const { workspace } = await setUp('')
  expect(workspace.tabs.map((t) => t.title)).toEqual([
    'GET /device/devices', 'GET /device/devices/{{deviceId}}', 'GET /alert/alerts', 'POST /sdt/sdts',
  ])
  expect(workspace.active?.id).toBe(1)
})

test('a closed tab is reopened as it was', async () => {
  const { workspace } = await setUp()
  const tab = workspace.open()
  tab.draft.setPath('/device/devices')
  workspace.rename(tab, 'Kept')
  await workspace.close(tab)
  expect(workspace.tabs).toEqual([])
  const back = workspace.reopen()
  expect(back?.title).toBe('Kept')
  expect(back?.draft.path).toBe('/device/devices')
})

test('after closing, the tab used before is active again', async () => {
  const { workspace } = await setUp('')
  const [first, , third] = workspace.tabs
  workspace.activate(third)
  workspace.activate(first)
  await workspace.close(first)
  expect(workspace.active).toBe(third)
})

test('an edit made while the tab is being created is written too', async () => {
  const { client, workspace } = await setUp()
  const tab = workspace.open()
  const creating = tab.stored()
  tab.draft.setPath('/typed/meanwhile')
  tab.saver.touch()
  await tab.saver.flush()
  await creating
  const last = client.writes.filter((w) => w.kind === 'tabs').at(-1)
  expect((last?.change as { draft: { path: string } }).draft.path).toBe('/typed/meanwhile')
})

test('edits are in Go 400 ms later, as one write', async () => {
  vi.useFakeTimers()
  try {
    const { client, workspace } = await setUp('')
    client.writes.length = 0
    const tab = workspace.active!
    for (const path of ['/a', '/ab', '/abc']) {
      tab.draft.setPath(path)
      tab.saver.touch()
      await vi.advanceTimersByTimeAsync(50)
    }
    await vi.advanceTimersByTimeAsync(400)
    const writes = client.writes.filter((w) => w.kind === 'tabs')
    expect(writes.map((w) => (w.change as { draft: { path: string } }).draft.path)).toEqual(['/abc'])
  } finally {
    vi.useRealTimers()
  }
})
