import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, problem, raw, sendPath, suite, until } from './harness'
import { password } from './portal'
import { step } from './story'

const portal = suite()

test('all pages of a list become one response and one history entry, or a file', async () => {
  const page = await portal.page({ width: 1280, height: 800 })
  const p = parts(page)
  await step('all pages of a list become one response, with one entry in the history', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=7', /^200 OK .* 7 items$/)
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitem', { name: 'Fetch all pages', exact: true }).click()
    const text = await until(p.status, /^200 OK .* (?!7 )\d+ items$/)
    const items = Number(/(\d+) items/.exec(text)![1])
    expect(items).toBeGreaterThan(7)

    await page.keyboard.press('Control+H')
    const entry = p.tools.getByRole('listitem').first()
    await entry.getByText('all pages').waitFor()
    const status = entry.getByText(/^200 OK$/).last()
    expect(await status.evaluate((e) => e.scrollWidth <= e.clientWidth)).toBe(true)
    const open = await p.tabs.count()
    await entry.hover()
    await entry.getByRole('button', { name: 'Run again: GET /device/devices' }).click()
    await expect.poll(() => p.tabs.count()).toBe(open + 1)
    await until(p.status, new RegExp(`^200 OK .* ${items} items$`))
  })

  await step('a list is saved to a file page by page, and the shown response stays', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=7', /^200 OK .* 7 items$/)
    const coming = page.waitForEvent('download')
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitem', { name: 'Save all pages as NDJSON' }).click()
    const file = await coming
    expect(file.suggestedFilename()).toBe('device-devices.ndjson')
    await until(page.getByTestId('toast'), /Saved \d+ items to device-devices\.ndjson/)
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l) as { id: number })
    expect(lines.length).toBeGreaterThan(7)
    expect(new Set(lines.map((l) => l.id)).size).toBe(lines.length)
    await expect.poll(() => p.status.innerText()).toMatch(/ 7 items$/)
  })
})

/** Opens a new PATCH request. */
async function patch(page: Page, path: string, body: string) {
  const p = parts(page)
  await newRequest(page)
  await p.path.fill(path)
  await p.method.selectOption('PATCH')
  await raw(page, body)
}

test('a write is reviewed, sent, and undone from the response and the history', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('a DELETE is confirmed with the focus on Cancel, and undone', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices/12')
    await p.method.selectOption('DELETE')
    await page.keyboard.press('Control+Enter')
    const dialog = page.getByRole('dialog', { name: /^Delete the device “/ })
    await dialog.getByText('DELETE /device/devices/12').waitFor()
    await dialog.getByText('recycle bin').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await until(p.status, /^Ready/)
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await until(p.status, /^200 OK/)
    await p.response.getByRole('button', { name: 'Undo' }).click()
    await until(page.getByTestId('toast'), /Restored/)
    await p.method.selectOption('GET')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
  })

  await step('a write is undone from the history', async () => {
    await patch(page, '/device/groups/3', '{"description": "for a moment"}')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
    await page.keyboard.press('Control+H')
    await p.tools.getByRole('button', { name: 'Undo: PATCH /device/groups/3' }).first().click()
    await until(page.getByTestId('toast').last(), /Restored description/)
    await p.tools.getByRole('button', { name: 'Undo: PATCH /device/groups/3' }).nth(1).waitFor({ state: 'detached' })
  })

  await step('a PATCH is reviewed, sent, and undone from the response', async () => {
    await patch(page, '/device/groups/2', '{"description": "reviewed"}')
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitem', { name: 'Review changes' }).click()
    const dialog = page.getByRole('dialog', { name: /^Changes by PATCH/ })
    await dialog.getByRole('row', { name: /description/ }).waitFor()
    await dialog.getByRole('button', { name: 'Send PATCH' }).click()
    await until(p.status, /^200 OK/)
    await p.response.getByRole('button', { name: 'Undo' }).click()
    await until(page.getByTestId('toast'), /Restored description/)
    await p.response.getByText('Change undone.').waitFor()
  })

  await step('a locked portal sends no write and says why', async () => {
    await patch(page, '/device/groups/2', '{"description": "never"}')
    const stored = () =>
      page.waitForResponse(
        (r) =>
          r.request().method() === 'PATCH' &&
          r.url().endsWith('/explorer/settings') &&
          (r.request().postData() ?? '').includes('portalReadOnly'),
      )
    const locked = stored()
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitemcheckbox', { name: /Read-only/ }).click()
    await locked
    await page.keyboard.press('Control+Enter')
    await p.response.getByText(/is read-only, so/).waitFor()
    const unlocked = stored() // later tests send writes
    await p.response.getByRole('button', { name: 'Unlock' }).click()
    await unlocked
  })
})

test('an undo in one window is shown in the others', async () => {
  const [page, other] = [await portal.page(), await portal.page()]
  const p = parts(page)
  await patch(page, '/device/groups/2', '{"description": "in two windows"}')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  const there = parts(other)
  await other.keyboard.press('Control+H')
  await there.tools.getByRole('listitem').first().getByText('/device/groups/2').click()
  await there.response.getByRole('button', { name: 'Undo' }).waitFor()
  await p.response.getByRole('button', { name: 'Undo' }).click()
  await p.response.getByText('Change undone.').waitFor()
  await there.response.getByText('Change undone.').waitFor()
  expect(await there.response.getByRole('button', { name: 'Undo' }).count()).toBe(0)
})

test('a write with a missing value is neither confirmed nor sent', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('a write with an unknown variable is not confirmed, but names it', async () => {
    await patch(page, '/device/groups/{{nobodyKnows}}', '{"description": "reviewed"}')
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitem', { name: 'Review changes' }).click()
    const told = problem(page).filter({ hasText: 'nobodyKnows' })
    await told.getByRole('button', { name: 'Open Variables' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    const words = await told.innerText()
    await page.keyboard.press('Control+Enter')
    await p.response.getByText('nobodyKnows').first().waitFor()
    expect(await told.innerText()).toBe(words)
  })

  await step('a write with a missing path value is not confirmed, but names it', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups/{id}')
    await p.method.selectOption('PATCH')
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitem', { name: 'Review changes' }).click()
    await problem(page).getByText('{id} needs a value').waitFor()
    await p.method.selectOption('DELETE')
    await page.keyboard.press('Control+Enter')
    await problem(page).getByText('{id} needs a value').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

test('an unknown id suggests the nearest ones, and a name conflict opens the other object', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/groups/99999', /^404/)
  await p.response
    .getByRole('button', { name: /^Use \d+/ })
    .first()
    .click()
  await expect.poll(() => p.path.inputValue()).toMatch(/^\/device\/groups\/\d{1,4}$/)
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  await newRequest(page)
  await p.path.fill('/device/groups')
  await p.method.selectOption('POST')
  await raw(page, '{"name": "Network", "parentId": 1}')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^409/)
  await p.request.getByRole('tab', { name: 'Form' }).click()
  await expect
    .poll(() =>
      p.request
        .getByRole('textbox', { name: 'name value', exact: true })
        .getAttribute('aria-invalid')
        .catch(() => ''),
    )
    .toBe('true') // the invalid field shows the error
  await p.response.getByRole('button', { name: 'Open Network' }).click()
  await until(p.status, /^200 OK/)
  await expect.poll(() => p.path.inputValue()).toMatch(/^\/device\/groups\/\d+$/)
})

test('signing in again repeats a read, and confirms before a write', async () => {
  const page = await portal.page()
  const p = parts(page)
  for (const [method, path] of [
    ['GET', '/device/groups/2'],
    ['POST', '/device/groups/2/sdts'],
  ] as const) {
    await newRequest(page)
    await p.path.fill(path)
    await p.method.focus()
    await p.method.selectOption(method)
    await page.route(
      '**/explorer/send',
      async (route) => {
        // ends the session here, so that the tab can be saved first
        await page.context().clearCookies()
        await route.continue()
      },
      { times: 1 },
    )
    await page.keyboard.press('Control+Enter')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    if (method === 'GET') await until(p.status, /^200 OK/)
    else await page.getByTestId('toast').getByRole('button', { name: 'Send it now' }).waitFor()
  }
})
