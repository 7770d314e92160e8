import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, suite, tabNames, until } from './harness'

const portal = suite()

const shot = (page: Page, name: string) => page.screenshot({ path: process.env.SHOTS ? `${process.env.SHOTS}/${name}.png` : undefined })
const shelf = (page: Page) => page.getByRole('tree', { name: 'Collections' })
const entry = (page: Page, name: RegExp | string) => shelf(page).getByRole('treeitem', { name })

const postman = JSON.stringify({
  info: { name: 'From Postman', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  auth: { type: 'bearer' },
  variable: [{ key: 'howMany', value: '2' }],
  item: [{ name: 'Reads', item: [{ name: 'Two devices', request: { method: 'GET', url: { raw: '{{baseUrl}}/device/devices?size={{howMany}}&offset=1', query: [{ key: 'size', value: '{{howMany}}' }, { key: 'offset', value: '1', disabled: true }] } } }] }],
})

async function showCollections(page: Page) {
  await parts(page).catalog.getByRole('tab', { name: 'Collections' }).click()
}

test('a request is saved by Ctrl+S, changed, and opened again', async () => {
  const page = await portal.page({ user: 'operator' })
  const p = parts(page)
  await newRequest(page)
  await p.path.fill('/device/devices')
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog', { name: 'Save request' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('All devices')
  await shot(page, 'save')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(await tabNames(page)).toContain('All devices')
  await showCollections(page)
  await entry(page, 'All devices').waitFor()

  await p.path.fill('/device/groups')
  await page.keyboard.press('Control+s')
  await page.getByTestId('toast').getByText('Saved in My requests').waitFor()
  await page.keyboard.press('Control+w')
  await entry(page, 'All devices').click()
  await expect.poll(() => p.path.inputValue()).toBe('/device/groups')

  await p.path.fill('/edited')
  await entry(page, 'All devices').click() // it is open already, and edited
  expect(await p.path.inputValue()).toBe('/edited')
})

test('a Postman file is looked at, imported, run and exported', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await showCollections(page)
  await p.catalog.getByRole('button', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.getByLabel('File', { exact: true }).setInputFiles({ name: 'mine.postman_collection.json', mimeType: 'application/json', buffer: Buffer.from(postman) })
  await dialog.getByText('Postman collection v2.1: 1 request in 2 folders').waitFor()
  await dialog.getByText("The collection's authorization was left out").waitFor()
  await shot(page, 'import')
  await dialog.getByRole('button', { name: 'Import 1 request' }).click()
  await entry(page, /^Reads/).click()
  await entry(page, 'Two devices').click()
  await expect.poll(() => p.path.inputValue()).toBe('/device/devices')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK.*2 items/)
  await shot(page, 'collections')

  await entry(page, /^From Postman/).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Export…' }).click()
  await page.getByLabel('Format').selectOption('postman')
  await shot(page, 'export')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
  expect(download.suggestedFilename()).toBe('From Postman.postman_collection.json')
  const written = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(written.item[0].item[0].request.url.query).toEqual([{ key: 'size', value: '{{howMany}}' }, { key: 'offset', value: '1', disabled: true }])
})

test('nothing of a broken file is imported, and an import is undone', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await newRequest(page)
  await showCollections(page)
  await p.catalog.getByRole('button', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  const paste = dialog.getByRole('textbox')
  await paste.fill('{"info":{},"item":[')
  await dialog.getByRole('button', { name: 'Read' }).click()
  await until(dialog.getByRole('alert'), /^the text is no valid JSON: line 1/)
  await paste.fill("curl 'http://x.example/api/device/devices?size=1' -H 'X-A: b'\ncurl -X DELETE http://x.example/api/device/devices/7")
  await dialog.getByRole('button', { name: 'Read' }).click()
  await dialog.getByText('cURL commands: 2 requests').waitFor()
  await dialog.getByRole('button', { name: 'Import 2 requests' }).click()
  await entry(page, 'DELETE /device/devices/7').waitFor()
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await p.catalog.getByText('No collections yet').waitFor()
})

test('collections are moved, renamed and deleted by keys alone', async () => {
  const page = await portal.page({ user: 'viewer', theme: 'light', width: 1280, height: 800 })
  const p = parts(page)
  await newRequest(page)
  await showCollections(page)
  for (const name of ['One', 'Two']) {
    await p.catalog.getByRole('button', { name: 'New collection' }).click()
    await p.catalog.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.keyboard.press('Enter')
    await entry(page, new RegExp(`^${name},`)).waitFor()
  }
  const names = () => shelf(page).getByRole('treeitem').evaluateAll((all) => all.map((e) => `${e.ariaLevel} ${e.ariaLabel}`))
  expect(await names()).toEqual(['1 One, 0 inside', '1 Two, 0 inside'])
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(names).toEqual(['1 Two, 0 inside', '1 One, 0 inside'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  await page.keyboard.press('End')
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(names).toEqual(['1 Two, 1 inside'])
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await expect.poll(names).toEqual(['1 Two, 1 inside', '2 One, 0 inside'])
  await shot(page, 'collections-light')
  await page.keyboard.press('F2')
  await p.catalog.getByRole('textbox', { name: 'Name' }).fill('Both')
  await page.keyboard.press('Enter')
  await expect.poll(names).toEqual(['1 Both, 1 inside', '2 One, 0 inside'])
  await page.keyboard.press('Delete')
  await p.catalog.getByText('No collections yet').waitFor()
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(names).toEqual(['1 Both, 1 inside', '2 One, 0 inside'])
})
