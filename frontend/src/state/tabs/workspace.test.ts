import { describe, expect, test, vi } from 'vitest'
import { Catalog } from '../catalog/catalog.svelte'
import { Fault, type Tab } from '../../client'
import { fakeClient } from '../../fakes/client'
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

  test('clears the previous response of an unedited request', async () => {
    const { workspace, catalog } = await setUp()
    const tab = workspace.choose(catalog.byId('GET /device/devices')!)
    await tab.draft.send()
    tab.setView({ filter: '.items' })
    expect(tab.draft.reply).toBeDefined()
    expect(workspace.choose(catalog.byId('GET /device/groups')!)).toBe(tab)
    expect([tab.title, tab.draft.reply, tab.historyId, tab.view]).toEqual(['GET /device/groups', undefined, 0, {}])
  })

  test('keeps a tab from which a write can be undone, also after a restart', async () => {
    const { client, workspace, catalog } = await setUp()
    const tab = workspace.choose(catalog.byId('POST /device/devices')!)
    const send = client.send
    client.send = async (...args) => ({ ...(await send(...args)), undo: 'Undo will delete the device.' })
    await tab.draft.send(true)
    expect(workspace.choose(catalog.byId('GET /device/groups')!)).not.toBe(tab)

    const again = new Workspace(client, catalog)
    again.restore([{ ...tab.snapshot(), id: tab.id, version: 1 }], tab.id)
    expect(again.choose(catalog.byId('GET /device/groups')!).title).toBe('GET /device/groups')
    expect(again.tabs.map((t) => t.title)).toEqual(['POST /device/devices', 'GET /device/groups'])
  })

  test('keeps a tab that is named, pinned, saved or edited', async () => {
    const { workspace, catalog } = await setUp()
    const groups = catalog.byId('GET /device/groups')!
    const begun = () => workspace.choose(catalog.byId('GET /device/devices')!, true)
    const past = () => {
      const tab = begun()
      tab.draft.setPath('/device/devices/7')
      tab.save(tab.draft.data())
      return tab
    }
    for (const make of [
      () => Object.assign(begun(), { name: 'Mine' }),
      () => Object.assign(begun(), { pinned: true }),
      () => Object.assign(begun(), { requestId: 3 }),
      past,
    ]) {
      const tab = make()
      expect(workspace.choose(groups)).not.toBe(tab)
    }
  })
})

test('a changed tab has its dot until it is saved', async () => {
  const { workspace } = await setUp()
  const tab = workspace.open()
  expect(tab.changed).toBe(false)
  tab.draft.setPath('/device/devices')
  expect(tab.changed).toBe(true)
  const sent = tab.draft.data()
  tab.draft.setPath('/device/groups') // typed while the request ran
  tab.save(sent)
  expect(tab.changed).toBe(true)
  tab.draft.setPath('/device/devices')
  expect(tab.changed).toBe(false)
})

test('tabs are restored in order, with the active one', async () => {
  const { workspace } = await setUp('')
  expect(workspace.tabs.map((t) => t.title)).toEqual([
    'GET /device/devices',
    'GET /device/devices/{{deviceId}}',
    'GET /alert/alerts',
    'POST /sdt/sdts',
  ])
  expect(workspace.active?.id).toBe(1)
})

test('a closed tab is reopened unchanged', async () => {
  const { workspace } = await setUp()
  const tab = workspace.open()
  tab.draft.setPath('/device/devices')
  workspace.rename(tab, 'Kept')
  await workspace.close(tab)
  expect(workspace.tabs).toEqual([])
  const back = await workspace.reopen()
  expect(back?.title).toBe('Kept')
  expect(back?.draft.path).toBe('/device/devices')
})

test('closing a tab activates the previous one', async () => {
  const { workspace } = await setUp('')
  const [first, , third] = workspace.tabs
  workspace.activate(third)
  workspace.activate(first)
  await workspace.close(first)
  expect(workspace.active).toBe(third)
})

test('an edit made while the tab is being created is saved', async () => {
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

test('with a full disk, tabs are not saved, but requests are sent', async () => {
  const { client, workspace } = await setUp()
  const full = new Fault('the disk is full; nothing was written', 507)
  client.tabs.create = () => Promise.reject(full)
  const faults: unknown[] = []
  workspace.onfault = (e) => faults.push(e)
  const tab = workspace.open()
  tab.draft.setPath('/device/devices')
  await tab.draft.send()
  expect([tab.draft.fault, tab.draft.reply?.status]).toEqual([undefined, 200])
  expect(faults[0]).toBe(full)
})

test('edits are written after 400 ms, as one write', async () => {
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

test('pinned tabs stay in front, and are not closed with the others', async () => {
  const { workspace } = await setUp('')
  const [first, second, third, last] = workspace.tabs
  workspace.pin(third)
  expect(workspace.tabs).toEqual([third, first, second, last])
  workspace.move(first, 0)
  expect(workspace.tabs).toEqual([third, first, second, last])
  workspace.move(third, 3)
  expect(workspace.tabs).toEqual([third, first, second, last])
  await workspace.closeRight(first)
  expect(workspace.tabs).toEqual([third, first])
  await workspace.closeOthers(first)
  expect(workspace.tabs).toEqual([third, first])
  await workspace.reopen()
  await workspace.reopen()
  expect(
    workspace.tabs
      .map((t) => t.title)
      .slice(2)
      .sort(),
  ).toEqual([second.title, last.title].sort())
})

/** Lets Go return this tab. */
function stored(client: ReturnType<typeof fakeClient>, tab: Tab) {
  vi.spyOn(client.tabs, 'list').mockResolvedValue({ items: [tab], total: 1, searchId: null, data: null })
  vi.spyOn(client.tabs, 'get').mockResolvedValue(tab)
}

test('every change of another window is shown, also the one right after another', async () => {
  vi.useFakeTimers()
  try {
    const { workspace, client } = await setUp('')
    const tab = workspace.tabs[0]
    const before = await client.tabs.get(tab.id)
    for (const [version, path] of [
      [7, '/a'],
      [8, '/ab'],
    ] as const) {
      const theirs = { ...before, version, draft: { ...before.draft, path } }
      stored(client, theirs)
      workspace.follow()
      await vi.advanceTimersByTimeAsync(200)
      expect(tab.draft.path).toBe(path)
      tab.saver.touch() // as the request pane does after each change of the draft
    }
  } finally {
    vi.useRealTimers()
  }
})

describe('a tab that another window changed too', () => {
  async function collide() {
    const { workspace, client } = await setUp('')
    const tab = workspace.tabs[0]
    tab.draft.setPath('/mine')
    const theirs = { ...(await client.tabs.get(tab.id)), version: 7 }
    theirs.draft = { ...theirs.draft, path: '/theirs' }
    const update = vi
      .spyOn(client.tabs, 'update')
      .mockRejectedValueOnce(new Fault('changed', 409, { field: 'version' }))
    vi.spyOn(client.tabs, 'get').mockResolvedValue(theirs)
    tab.saver.touch()
    await tab.saver.flush()
    return { tab, theirs, update }
  }

  test('is shown after a change of the view, which has no version of its own', async () => {
    vi.useFakeTimers()
    try {
      const { workspace, client } = await setUp('')
      const tab = workspace.tabs[0]
      const before = await client.tabs.get(tab.id)
      const theirs = { ...before, version: 7, draft: { ...before.draft, path: '/theirs' } }
      vi.spyOn(client.tabs, 'update').mockResolvedValue(theirs)
      stored(client, theirs)
      tab.setView({ formAt: { top: 9 } })
      await tab.saver.flush()
      workspace.follow()
      await vi.advanceTimersByTimeAsync(200)
      expect(tab.draft.path).toBe('/theirs')
    } finally {
      vi.useRealTimers()
    }
  })

  test('is not overwritten without confirmation', async () => {
    const { tab, update } = await collide()
    expect(tab.conflict?.draft.path).toBe('/theirs')
    expect(tab.draft.path).toBe('/mine')
    tab.saver.touch()
    await tab.saver.flush()
    expect(update).toHaveBeenCalledTimes(1)
    tab.keepMine()
    await tab.saver.flush()
    expect(update.mock.lastCall?.[1]).toMatchObject({ version: 7, draft: { path: '/mine' } })
  })

  test('shows the other version on request', async () => {
    const { tab, theirs, update } = await collide()
    tab.adopt(theirs)
    expect(tab.draft.path).toBe('/theirs')
    expect(tab.conflict).toBe(undefined)
    tab.saver.touch()
    await tab.saver.flush()
    expect(update).toHaveBeenCalledTimes(1)
  })

  test('merges changes that do not conflict', async () => {
    const { workspace, client } = await setUp('')
    const tab = workspace.tabs[0]
    const theirs = { ...(await client.tabs.get(tab.id)), version: 7 }
    theirs.draft = { ...theirs.draft, path: '/theirs' }
    const update = vi
      .spyOn(client.tabs, 'update')
      .mockRejectedValueOnce(new Fault('changed', 409, { field: 'version' }))
    vi.spyOn(client.tabs, 'get').mockResolvedValue(theirs)
    workspace.rename(tab, 'Renamed')
    await tab.saver.flush()
    expect(tab.draft.path).toBe('/theirs')
    expect(update.mock.lastCall?.[1]).toEqual({ version: 7, name: 'Renamed' })
  })

  test('has the new name of the other window beside the edit made here', async () => {
    const { workspace, client } = await setUp('')
    const tab = workspace.tabs[0]
    const theirs = { ...(await client.tabs.get(tab.id)), version: 7, name: 'Theirs' }
    const update = vi
      .spyOn(client.tabs, 'update')
      .mockRejectedValueOnce(new Fault('changed', 409, { field: 'version' }))
    vi.spyOn(client.tabs, 'get').mockResolvedValue(theirs)
    tab.draft.setPath('/mine')
    tab.saver.touch()
    await tab.saver.flush()
    expect([tab.name, tab.draft.path]).toEqual(['Theirs', '/mine'])
    expect(update.mock.lastCall?.[1]).toMatchObject({ version: 7, draft: { path: '/mine' } })
    expect(update.mock.lastCall?.[1]).not.toHaveProperty('name')
  })
})
