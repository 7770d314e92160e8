import { expect, test } from 'vitest'
import { small } from './states'
import { addVariable, endpoint, newRequest, parts, sendPath, suite } from './harness'

const portal = suite()

test('every target is at least 24 pixels wide and high', async () => {
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
  await page.keyboard.insertText('API')
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

test('buttons as high as their rows do not touch', async () => {
  const page = await portal.page({ fresh: true })
  await page.evaluate(async () => {
    const { user } = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
    await fetch('/explorer/settings', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': user.csrfToken },
      body: '{"density":"compact"}',
    })
  })
  await page.reload()
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  const acks = page.getByRole('grid', { name: 'Active alerts' }).getByRole('button', { name: /^Ack/ })
  await acks.nth(3).waitFor()
  const painted = await acks.evaluateAll((all) =>
    all.map((e) => {
      const top = e.getBoundingClientRect().top + e.clientTop
      return [top, top + e.clientHeight]
    }),
  )
  expect(Math.min(...painted.slice(1).map(([top], i) => top - painted[i][1]))).toBeGreaterThanOrEqual(3)
  expect(await small(page)).toEqual([])
})
