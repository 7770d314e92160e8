import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { App } from '../app.svelte'
import { Fault, type Listener, type Method, type Reply } from '../../client'
import { fakeClient, fakeViews } from '../../fakes/client'
import { emptyDraft } from '../request/draft.svelte'

beforeEach(() => void vi.stubGlobal('location', { origin: 'http://127.0.0.1' }))
afterEach(() => void vi.unstubAllGlobals())

async function begin() {
  const client = fakeClient(new URLSearchParams())
  let to: Listener = {}
  Object.assign(client, { listen: (l: Listener) => ((to = l), () => {}) })
  const app = new App(client, fakeViews())
  await app.load()
  return { app, client, reply: () => to }
}

test.each<[Method, 'changes' | 'goes']>([
  ['PATCH', 'changes'],
  ['PUT', 'changes'],
  ['DELETE', 'goes'],
])(
  'a %s with an unknown variable is not confirmed but reported, unless it shall go out anyway',
  async (method, question) => {
    const { app, client } = await begin()
    app.settings.save({ reviewWrites: true })
    const why = new Fault('no variable is called “nobody”, so nothing was sent', 400, {
      field: 'path',
      unknown: ['nobody'],
    })
    client[question] = vi.fn(() => Promise.reject(why))
    const tab = app.navigation.openDraft({
      ...emptyDraft(),
      method,
      path: '/device/devices/{{nobody}}',
      body: method === 'DELETE' ? '' : '{}',
    })
    await tab.draft.send()
    expect([app.sending.confirming, tab.draft.fault, tab.draft.busy]).toEqual([undefined, why, false])
    void tab.draft.send(true)
    await vi.waitFor(() => expect(app.sending.confirming?.draft.path).toBe('/device/devices/{{nobody}}'))
  },
)

test('a write with known variables is confirmed at once', async () => {
  const { app, client } = await begin()
  client.changes = vi.fn(client.changes)
  const tab = app.navigation.openDraft({
    ...emptyDraft(),
    method: 'PATCH',
    path: `/device/devices/{{${app.variables.all[0].name}}}`,
    body: '{"at": "{{$now-1h}}"}',
  })
  void app.sending.review(tab)
  await vi.waitFor(() => expect(app.sending.confirming?.what).toBe('review'))
  expect(client.changes).not.toHaveBeenCalled()
})

test('a write undone in another window offers no undo', async () => {
  const { app, client, reply } = await begin()
  client.undos = vi.fn(client.undos)
  reply().undone?.({ historyId: 31 })
  expect([app.sending.undone.has(31), app.sending.back.has(31)]).toEqual([true, true])
  expect(client.undos).toHaveBeenCalledTimes(1)
})

test('fetching all pages resumes after signing in again', async () => {
  const { app, client } = await begin()
  const pages = client.pages
  client.pages = vi.fn(async (...args: Parameters<typeof pages>) => {
    const reply = (await pages(...args)) as Reply
    return {
      ...reply,
      run: { ...reply.run!, status: 401, partial: 'page 2 of 3 failed with 401 Unauthorized', resume: true },
    }
  })
  const tab = app.navigation.openDraft({ ...emptyDraft(), path: '/device/devices' })
  await tab.draft.sendAll()
  const first = tab.draft.reply!.document
  client.pages = vi.fn(pages)
  app.sending.resume()
  await vi.waitFor(() => expect(tab.draft.reply?.run?.partial).toBe(''))
  expect(vi.mocked(client.pages).mock.calls.map(([request]) => request.resume)).toEqual([first])
})
