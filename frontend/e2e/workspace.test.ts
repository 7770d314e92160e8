import { expect, test } from 'vitest'
import { addVariable, newRequest, parts, sendPath, suite, tabNames, until } from './harness'

const portal = suite()

test('everything is as it was after a reload', async () => {
  const page = await portal.page({ user: 'operator' })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/groups')
  await newRequest(page)
  await p.path.fill('/device/devices/{id}')
  const before = await tabNames(page)
  const saved = page.waitForResponse((r) => r.request().method() === 'PATCH' && r.url().includes('/explorer/tabs/'))
  await p.path.fill('/device/devices/7')
  await saved
  await page.reload()
  await p.path.waitFor()
  await expect.poll(() => p.path.inputValue()).toBe('/device/devices/7')
  await expect.poll(() => tabNames(page)).toEqual([...before.slice(0, -1), 'GET /device/devices/7'])
  await p.tabs.nth(before.length - 2).click()
  await until(p.status, /^200 OK/)
  await p.tree.getByRole('treeitem').first().waitFor()
})

test('a past request is reloaded from history with its answer, and run again', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/setting/version')
  await p.tools.getByRole('tab', { name: 'History' }).click()
  const entry = p.tools.getByRole('button', { name: /^GET \/setting\/version/ }).first()
  await entry.click()
  await expect.poll(() => p.path.inputValue()).toBe('/setting/version')
  await until(p.status, /^200 OK/)
  const count = await p.tools.getByRole('listitem').count()
  await p.tools.getByRole('button', { name: 'Run again: GET /setting/version' }).first().click()
  await until(p.status, /^200 OK/)
  await expect.poll(() => p.tools.getByRole('listitem').count()).toBe(count + 1)
})

let missing = 999_999_990
test('history is searched, and one entry deleted', async () => {
  missing++ // a second try finds what the first left
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/setting/version')
  await sendPath(page, `/device/devices/${missing}`, /^404/)
  await p.tools.getByRole('tab', { name: 'History' }).click()
  await p.tools.getByRole('searchbox', { name: 'Search history' }).fill(`404 ${missing}`)
  await p.tools.getByRole('button', { name: /^GET \/setting\/version/ }).waitFor({ state: 'detached' })
  await expect.poll(() => p.tools.getByRole('listitem').count()).toBe(1)
  await p.tools.getByRole('listitem').first().hover()
  await p.tools.getByRole('button', { name: `Delete: GET /device/devices/${missing}` }).click()
  await p.tools.getByText('No results').waitFor()
})

test('variables keep the focus while they are typed, and a deleted one comes back', async () => {
  const page = await portal.page({ user: 'operator' })
  const p = parts(page)
  await newRequest(page)
  await addVariable(page)
  await page.keyboard.type('siteName', { delay: 90 }) // slower than the debounce would be if it moved the focus
  const name = p.tools.getByRole('textbox', { name: 'Variable name' }).last()
  await expect.poll(() => name.inputValue()).toBe('siteName')
  await p.tools.getByRole('button', { name: 'Delete siteName' }).click()
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await p.tools.getByRole('button', { name: 'Delete siteName' }).waitFor()
})

test('a secret is not shown', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await newRequest(page)
  await addVariable(page)
  await page.keyboard.insertText('apiKey')
  await p.tools.getByRole('button', { name: 'Delete apiKey' }).waitFor()
  await p.tools.getByRole('checkbox', { name: 'Secret' }).check()
  const value = p.tools.getByLabel('Value of apiKey')
  await expect.poll(() => value.getAttribute('type')).toBe('password')
})

test('the sizes of the panes are remembered', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  const grip = page.getByRole('separator', { name: 'Resize the catalog' })
  await grip.focus()
  const left = Number(await grip.getAttribute('aria-valuenow')) + 5 * 16
  const written = page.waitForResponse(
    (r) =>
      r.url().endsWith('/explorer/settings') && (r.request().postData() ?? '').includes(`"left":${left}`) && r.ok(),
  )
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight')
  const { width } = (await p.catalog.boundingBox())!
  await written
  await page.reload()
  await p.catalog.waitFor()
  expect(Math.round((await p.catalog.boundingBox())!.width)).toBe(Math.round(width))
})
