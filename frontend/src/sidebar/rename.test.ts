import { expect, test, vi } from 'vitest'
import { App } from '../state/app.svelte'
import { fakeClient, fakeViews } from '../fakes/client'
import { followIn, places } from './rename'

test('renaming a variable updates open tabs, saved requests and extractors, and can be undone', async () => {
  const client = fakeClient(new URLSearchParams())
  const variables = {
    ...client.variables,
    follow: vi.fn(async () => ({ requests: 2, extractors: 1 })),
    unfollow: vi.fn(async () => ({ requests: 1, extractors: 1 })),
  }
  const app = new App(Object.assign(client, { variables }), fakeViews())
  await app.load()
  app.variables.all = [
    { id: 2, name: 'machine', value: '1147', secret: false, scope: 'portal', environmentId: 0, changedOn: 0 },
  ]
  const tab = app.workspace.tabs.find((t) => t.draft.path.includes('{{deviceId}}'))!
  const press = (label: string) => {
    expect(app.toasts.current?.action?.label).toBe(label)
    app.toasts.current?.action?.run()
  }

  followIn(app, { id: 2, name: 'machine' }, [
    { name: 'unused', requests: 0, extractors: 0 },
    { name: 'deviceId', requests: 2, extractors: 1 },
  ])
  expect(app.toasts.current?.text).toBe('{{deviceId}} is used in 1 open tab, 2 saved requests and 1 extractor')
  press('Rename to {{machine}}')
  await expect.poll(() => app.toasts.current?.text).toBe('Renamed {{deviceId}} to {{machine}} in 4 places')
  expect([tab.draft.path, tab.saved?.path, tab.changed]).toEqual([
    '/device/devices/{{machine}}',
    '/device/devices/{{machine}}',
    false,
  ])
  expect(variables.follow.mock.calls).toEqual([[2, 'deviceId']])
  press('Undo')
  await expect
    .poll(() => app.toasts.current?.text)
    .toBe(
      'Restored {{deviceId}} in 3 places; 1 place changed since then and stayed unchanged. The variable is still named {{machine}}',
    )
  expect([tab.draft.path, tab.changed]).toEqual(['/device/devices/{{deviceId}}', false])

  app.toasts.dismiss()
  app.variables.all = [
    ...app.variables.all,
    { id: 9, name: 'deviceId', value: '', secret: false, scope: 'global', environmentId: 0, changedOn: 0 },
  ]
  followIn(app, { id: 2, name: 'machine' }, [{ name: 'deviceId', requests: 2, extractors: 1 }])
  expect(app.toasts.current).toBeUndefined() // another variable has the former name
  expect(places()).toBe('no place')
})
