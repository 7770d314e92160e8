import { expect, test } from 'vitest'
import { small } from './states'
import { addVariable, endpoint, newRequest, parts, sendPath, suite } from './harness'

const portal = suite()

test('everything that can be pointed at is at least 24 pixels wide and high', async () => {
  const page = await portal.page({ width: 1280, height: 800 })
  const p = parts(page)
  const found: Record<string, string[]> = { welcome: await small(page) }
  await newRequest(page)
  await p.search.fill('post devices')
  await endpoint(page, 'POST /device/devices').click()
  found['body form'] = await small(page)
  await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
  found['raw body'] = await small(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=5')
  found.JSON = await small(page)
  await page.keyboard.press('Control+F')
  found.find = await small(page)
  for (const name of ['Table', 'Raw', 'Headers', 'Snippets']) {
    await p.response.getByRole('tab', { name, exact: true }).click()
    found[name] = await small(page)
  }
  await addVariable(page)
  for (const name of ['Variables', 'History', 'Helpers', 'Docs']) {
    await p.tools.getByRole('tab', { name }).click()
    found[name] = await small(page)
  }
  await page.keyboard.press('Control+K')
  await page.keyboard.type('API')
  await p.palette.getByRole('option').first().waitFor()
  found.palette = await small(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+/')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Send Request').waitFor()
  found.shortcuts = await small(page)
  await page.keyboard.press('Escape')
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  found.monitor = await small(page)
  expect(Object.fromEntries(Object.entries(found).filter(([, f]) => f.length))).toEqual({})
})
