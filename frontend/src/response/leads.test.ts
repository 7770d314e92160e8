import { expect, test } from 'vitest'
import type { App } from '../state/app.svelte'
import { Catalog } from '../state/catalog/catalog.svelte'
import type { Client, Reply } from '../client'
import { fakeCatalog } from '../fakes/catalog'
import { Draft, emptyDraft } from '../state/request/draft.svelte'
import { leadOf } from './leads'

test('ids of a response become links once the catalog is loaded, even if the request is edited', async () => {
  const catalog = new Catalog({ catalog: async () => fakeCatalog })
  const app = { catalog, portal: { remote: true } } as App
  const draft = new Draft(
    { client: {} as Client, catalog, tabId: () => 1 },
    { ...emptyDraft(), path: '/device/devices' },
  )
  const reply = { status: 200 } as Reply
  const lead = () => leadOf(app, draft, reply, 'id', '7', 3)?.draft
  expect(lead()).toBeUndefined()
  await catalog.load()
  draft.setPath('/report/reports')
  expect(lead()).toMatchObject({ path: '/device/devices/{id}', pathParams: [{ key: 'id', value: '7' }] })
})
