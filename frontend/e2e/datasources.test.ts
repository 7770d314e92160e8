import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { parts, suite, until } from './harness'

const portal = suite()

async function list(page: Page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'DataSources' }).click()
  const grid = page.getByRole('grid', { name: 'DataSources' })
  await grid.getByRole('row', { name: /Ping/ }).waitFor()
  return grid
}

/** Opens a data source from the list with the search and the keyboard. */
async function open(page: Page, name: string) {
  const grid = await list(page)
  await page.getByRole('searchbox', { name: 'Search data sources' }).fill(name)
  await expect.poll(() => grid.getByRole('row').count()).toBe(2)
  await grid.getByRole('row').nth(1).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: 'Data points' }).waitFor()
}

const answer = (page: Page, path: string) =>
  page.evaluate(async (path) => (await fetch(`/api${path}`)).json() as Promise<Record<string, unknown>>, path)

/** Changes a data source outside the page, through the API. */
async function change(page: Page, path: string, body: unknown) {
  const { user } = await page.evaluate(
    async () => (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } },
  )
  expect(
    (
      await page.request.patch(`${portal.url}/api${path}`, { headers: { 'X-CSRF-Token': user.csrfToken }, data: body })
    ).status(),
  ).toBe(200)
}

test('thresholds are tested on a device, changed, undone, and never overwrite the change of another user', async () => {
  const page = await portal.page({ fresh: true })
  await open(page, 'Linux_Host')
  const { items } = (await answer(page, '/setting/datasources?filter=name:"Linux_Host"&fields=id,dataPoints')) as {
    items: { id: number; dataPoints: { name: string; alertExpr: string }[] }[]
  }
  const at = `/setting/datasources/${items[0].id}`
  const expr = async (name: string) =>
    ((await answer(page, at)) as { dataPoints: { name: string; alertExpr: string }[] }).dataPoints.find(
      (p) => p.name === name,
    )!.alertExpr
  const limit = (level: string, of: string) => page.getByRole('textbox', { name: `${level} limit of ${of}` })
  const toast = page.getByTestId('toast')
  const before = await expr('cpuPercent')

  // The page evaluates the expression during typing.
  const applies = page.getByRole('textbox', { name: 'Applies to' })
  await page
    .getByText(/^\d\d devices$/)
    .first()
    .waitFor()
  await applies.fill('hasCategory("linux") &&')
  await page.getByText(/appliesTo: /).waitFor()
  await applies.fill('displayName =~ "web-prod-0*"')
  await page
    .getByRole('status')
    .filter({ hasText: 'devices' })
    .getByRole('button', { name: 'web-prod-01.fra' })
    .waitFor()
  await page.getByRole('button', { name: 'Discard edits' }).click()

  // The user tests on a device and cancels a slow test.
  const trial = page.getByRole('region', { name: 'Test on a device' })
  await trial.getByRole('combobox', { name: 'Device to test on' }).fill('web-prod-01')
  await trial.getByRole('option', { name: 'web-prod-01.fra' }).waitFor()
  await page.keyboard.press('Enter')
  let reached = () => {}
  const requested = new Promise<void>((done) => (reached = done))
  await page.route('**/api/setting/datasources/*/test', () => reached())
  await trial.getByRole('button', { name: 'Test', exact: true }).click()
  await requested
  await trial.getByRole('button', { name: 'Cancel' }).click()
  await trial.getByText('Cancelled').waitFor()
  await page.unroute('**/api/setting/datasources/*/test')
  await trial.getByRole('button', { name: 'Test', exact: true }).click()
  const row = trial.getByRole('table', { name: 'Values of Linux_Host' }).getByRole('row', { name: /^cpuPercent/ })
  await until(row, /^cpuPercent %\s*[\d.]+/)

  // The test result covers unsaved edits. The portal refuses an invalid threshold.
  await limit('Warning', 'cpuPercent').fill('0')
  await until(row, /edited: Warning/)
  await limit('Error', 'cpuPercent').fill('-5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'The threshold: the numbers of a threshold with > grow' }).waitFor()
  await limit('Error', 'cpuPercent').fill('95')
  await page.keyboard.press('Control+s')
  await toast.filter({ hasText: 'Saved Linux' }).waitFor()
  await expect.poll(() => expr('cpuPercent')).toBe('> 0 95 98')
  await toast.getByRole('button', { name: 'Undo' }).click()
  await toast.filter({ hasText: 'Restored Linux' }).waitFor()
  await expect.poll(() => expr('cpuPercent')).toBe(before)

  // Another user changes two thresholds. One of them conflicts.
  await limit('Warning', 'load1').fill('12')
  const dataPoints = items[0].dataPoints.map((p) =>
    p.name === 'load1' ? { ...p, alertExpr: '> 20' } : p.name === 'load5' ? { ...p, alertExpr: '> 30' } : p,
  )
  await change(page, at, { dataPoints })
  await expect.poll(() => limit('Warning', 'load5').inputValue()).toBe('30') // updated by the event
  await page.getByRole('button', { name: 'Save' }).click()
  const conflict = page.getByRole('alert', { name: 'Conflicting changes' })
  await conflict.getByText('> 20, no data').waitFor()
  await conflict.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await toast.filter({ hasText: 'Saved Linux' }).waitFor()
  expect([await expr('load1'), await expr('load5')]).toEqual(['> 12', '> 30'])
  await change(page, at, { dataPoints: items[0].dataPoints })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await toast.filter({ hasText: 'someone has changed it since' }).waitFor()

  // The page leads to its devices, its alerts and its API call, and back.
  const devices = page.getByRole('grid', { name: 'Devices' })
  await devices.getByRole('row').nth(1).focus()
  await page.keyboard.press('t')
  await until(trial.getByRole('table').first(), /cpuPercent/)
  await trial.getByRole('button', { name: 'Open in API Explorer: the test' }).click()
  const p = parts(page)
  await expect
    .poll(async () => [await p.method.inputValue(), await p.path.inputValue()])
    .toEqual(['POST', '/setting/datasources/{id}/test'])
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await devices.getByRole('button', { name: 'web-prod-01.fra', exact: true }).click()
  await page.getByRole('heading', { name: 'web-prod-01.fra' }).waitFor()
  await page
    .getByRole('navigation', { name: 'Data sources' })
    .getByRole('button', { name: /^Linux/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Show the data source Linux' }).click()
  await page.getByRole('heading', { name: 'Linux', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'web-prod-01.fra' }).waitFor()
})

test('a double click on a control that opens a form selects no text', async () => {
  const page = await portal.page({ fresh: true })
  const grid = await list(page)
  const box = (await grid.getByRole('row', { name: /Ping/ }).boundingBox())!
  await page.mouse.move(box.x + 40, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.up()
  await page.getByRole('table', { name: 'Data points' }).waitFor()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  expect(await page.evaluate(() => String(getSelection()))).toBe('')
})

test('a data source is exported and imported', async () => {
  const page = await portal.page({ fresh: true })
  await open(page, 'Redis')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Redis.json')
  const file = JSON.parse(await readFile(await download.path(), 'utf8')) as Record<string, unknown>
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import data sources' })
  const give = (what: unknown) =>
    dialog.getByLabel('File').setInputFiles({
      name: 'file.json',
      mimeType: 'application/json',
      buffer: Buffer.from(typeof what === 'string' ? what : JSON.stringify(what)),
    })
  await give('no json')
  await dialog.getByText('file.json is not a JSON file.').waitFor()
  await give({ ...file, collectInterval: 30 })
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByRole('alert').filter({ hasText: 'Redis' }).waitFor() // the name already exists
  await dialog.getByRole('button', { name: 'Overwrite' }).click()
  await page.getByTestId('toast').getByRole('button', { name: 'Show' }).click()
  await expect.poll(() => page.getByRole('spinbutton', { name: /^Collect every/ }).inputValue()).toBe('30')
})

test('decimal commas are accepted and shown in locales that use them, and sent as points', async () => {
  const page = await portal.page({ fresh: true, locale: 'pt-BR' })
  await open(page, 'Linux_Host')
  const limit = page.getByRole('textbox', { name: 'Warning limit of cpuPercent' })
  const before = await limit.inputValue()
  await limit.fill('79,5')
  const [sent] = await Promise.all([
    page.waitForRequest((r) => r.method() === 'PATCH' && r.url().includes('/setting/datasources/')),
    page.keyboard.press('Control+s'),
  ])
  expect(sent.postData()).toContain(' 79.5 ')
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => limit.inputValue()).toBe(before)
  await page.getByRole('spinbutton', { name: 'Polls to open cpuPercent' }).fill('1,5')
  await limit.focus()
  await page.getByText(/must be a whole number from 1 to 60/).waitFor()
})
