import { expect, test } from 'vitest'
import { newRequest, parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('settings take effect at once, are stored, and are reset', async () => {
  const page = await portal.page({ fresh: true, theme: 'dark' })
  const look = () =>
    page.evaluate(() => {
      const { theme, density, fontSize } = document.documentElement.dataset
      return { theme, density, fontSize, body: getComputedStyle(document.body).fontSize }
    })
  await newRequest(page)
  await page.keyboard.press('Control+,')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  const choose = (group: string, name: string) =>
    settings.getByRole('group', { name: group }).getByRole('radio', { name, exact: true }).check()
  await choose('Theme', 'Light')
  await choose('Density', 'Compact')
  await choose('Font size', 'Larger')
  await expect.poll(() => look()).toEqual({ theme: 'light', density: 'compact', fontSize: 'larger', body: '15px' })

  await settings.getByRole('tab', { name: 'Requests' }).click()
  await settings.getByRole('spinbutton', { name: /Request timeout/ }).fill('0')
  await settings.getByText('A whole number from 1 to 3,600').waitFor()
  await settings.getByRole('spinbutton', { name: /Request timeout/ }).fill('90')
  await settings.getByRole('spinbutton', { name: /History/ }).fill('500')
  await settings.getByRole('switch', { name: 'Wrap long lines' }).click()
  await settings.getByRole('switch', { name: 'Review writes' }).click()
  await settings.getByRole('tab', { name: 'Notifications' }).click()
  await settings.getByRole('switch', { name: 'New critical alerts' }).click()
  expect(await settings.getByRole('switch', { name: 'Tray icon' }).count()).toBe(0) // this portal has no desktop window
  const kept = () =>
    page.evaluate(async () => (await (await fetch('/explorer/settings')).json()) as Record<string, unknown>)
  await expect.poll(kept).toMatchObject({
    theme: 'light',
    density: 'compact',
    fontSize: 'larger',
    timeout: 90,
    historyKept: 500,
    wrap: true,
    reviewWrites: true,
    notices: false,
  })

  await page.reload()
  await parts(page).path.waitFor()
  expect(await (await page.request.get(portal.url)).text()).toContain(
    '<html data-density="compact" data-font-size="larger" data-theme="light" data-view="api"',
  ) // the first paint already has the settings
  await expect.poll(() => look()).toEqual({ theme: 'light', density: 'compact', fontSize: 'larger', body: '15px' })
  await page.keyboard.press('Control+,')
  await settings.getByRole('button', { name: 'Reset appearance' }).click()
  await expect.poll(() => look()).toEqual({ theme: 'dark', density: 'normal', fontSize: 'normal', body: '13px' })
  await settings.getByRole('button', { name: 'Done' }).click()
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => look()).toEqual({ theme: 'light', density: 'compact', fontSize: 'larger', body: '15px' })
  await expect.poll(kept).toMatchObject({ theme: 'light', timeout: 90 })

  await page.route('**/explorer/start', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), tray: true, desktop: true } })
  })
  let atSignIn = false
  await page.route('**/explorer/native/autostart', (route) => {
    if (route.request().method() === 'POST') ({ on: atSignIn } = route.request().postDataJSON() as { on: boolean })
    return route.fulfill({ json: { available: true, on: atSignIn } })
  })
  await page.reload()
  await page.getByRole('group', { name: 'View' }).waitFor()
  await page.keyboard.press('Control+,')
  await settings.getByRole('tab', { name: 'Notifications' }).click()
  await settings.getByRole('switch', { name: 'Tray icon' }).click()
  await expect.poll(kept).toMatchObject({ tray: false })
  const autostart = settings.getByRole('switch', { name: 'Open at sign-in' })
  await autostart.click()
  await settings.getByRole('switch', { name: 'Open at sign-in', checked: true }).waitFor()
  expect(atSignIn).toBe(true)
  await autostart.click()
  await settings.getByRole('switch', { name: 'Open at sign-in', checked: false }).waitFor()
  expect(atSignIn).toBe(false)
})

test('updates are looked for on request, and open in the browser', async () => {
  const page = await portal.page({ fresh: true })
  let checks = 0
  const found = { version: '0.1.0', newer: false, link: 'https://example.net/spyglass' }
  await page.route('**/explorer/updates', (route) => {
    checks++
    return route.fulfill({ json: found })
  })
  const settings = page.getByRole('dialog', { name: 'Settings' })
  const updates = settings.getByRole('region', { name: 'Updates' })
  const open = async () => {
    await page.keyboard.press('Control+,')
    await settings.getByRole('tab', { name: 'About' }).click()
  }
  await newRequest(page)
  await open()
  await updates.getByText('This build does not say where to check for updates.').waitFor()
  expect(await updates.getByRole('button').count()).toBe(0)

  await page.route('**/explorer/about', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), updates: true } })
  })
  await page.reload()
  await parts(page).path.waitFor()
  await open()
  const check = updates.getByRole('button', { name: 'Check for updates' })
  await check.waitFor()
  expect(checks).toBe(0)
  await check.click()
  await updates.getByText(/^Spyglass \S+ is up to date\.$/).waitFor()
  Object.assign(found, { version: '0.2.0', newer: true })
  await check.click()
  await updates.getByText('Spyglass 0.2.0 is available.').waitFor()
  expect(checks).toBe(2)
  let opened = ''
  await page.route('**/explorer/native/open-link', (route) => {
    opened = (route.request().postDataJSON() as { url: string }).url
    return route.fulfill({ json: {} })
  })
  await updates.getByRole('button', { name: 'Open download page' }).click()
  await expect.poll(() => opened).toBe('https://example.net/spyglass')
})

test('numbers and times follow the locale of the user', async () => {
  for (const [locale, most, moment] of [
    ['en-US', '3,600', /, \d\d:\d\d:\d\d [AP]M$/],
    ['ar-EG', '3,600', / \d\d:\d\d:\d\d/],
  ] as const) {
    const page = await portal.page({ fresh: true, locale })
    await newRequest(page)
    await parts(page).path.fill('/device/devices/1?fields=createdOn')
    await page.keyboard.press('Control+Enter')
    const row = page.getByRole('tree', { name: 'JSON' }).getByRole('treeitem', { name: /createdOn/ })
    await row.locator('.note', { hasText: moment }).waitFor()
    await page.keyboard.press('Control+,')
    const settings = page.getByRole('dialog', { name: 'Settings' })
    await settings.getByRole('tab', { name: 'Requests' }).click()
    await settings.getByRole('spinbutton', { name: /Request timeout/ }).fill('0')
    await settings.getByText(`A whole number from 1 to ${most}`).waitFor()
  }
})

test('keys move through sections, rows follow the density, and the timeout applies to requests', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('the arrow keys move through sections, and the focus returns', async () => {
    await newRequest(page)
    await p.path.focus()
    await page.keyboard.press('Control+,')
    const settings = page.getByRole('dialog', { name: 'Settings' })
    await settings.getByRole('tab', { name: 'Appearance', selected: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await settings.getByRole('tab', { name: 'Keys', selected: true }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    await settings.getByRole('tab', { name: 'Appearance', selected: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Escape')
    await expect.poll(() => p.path.evaluate((e) => e === document.activeElement)).toBe(true)
  })

  await step('rows of every Explorer list follow the density, without gaps', async () => {
    await newRequest(page)
    await p.catalog.getByRole('tab', { name: 'Collections' }).click()
    await p.catalog.getByRole('button', { name: 'New collection' }).click()
    const name = p.catalog.getByRole('textbox', { name: 'Name' })
    await name.press('Enter')
    await name.waitFor({ state: 'detached' })
    await p.path.fill('/device/devices?size=5&fields=id,displayName')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
    await p.response.getByRole('tab', { name: 'Table' }).click()
    await p.tools.getByRole('tab', { name: 'Helpers' }).click()
    await p.tools.getByRole('list', { name: 'Values' }).getByRole('listitem').first().waitFor()
    /** Returns, for each list, the total height and the height of each row. */
    const heights = () =>
      page.evaluate(() =>
        Object.fromEntries(
          [...document.querySelectorAll('.rows:has(> .space)')].map((list) => {
            const rows = [...list.querySelectorAll('.seen > *')].map((row) => row.getBoundingClientRect().height)
            return [
              ['shelf', 'table-rows', 'values'].find((name) => list.classList.contains(name)),
              [list.querySelector('.space')!.getBoundingClientRect().height / rows.length, ...new Set(rows)],
            ]
          }),
        ),
      )
    for (const [density, one, two] of [
      ['Roomy', 34, 52],
      ['Compact', 24, 40],
      ['Normal', 28, 44],
    ] as const) {
      await page.keyboard.press('Control+,')
      await page
        .getByRole('dialog', { name: 'Settings' })
        .getByRole('group', { name: 'Density' })
        .getByRole('radio', { name: density })
        .check()
      await page.keyboard.press('Escape')
      await expect.poll(heights).toEqual({ shelf: [one, one], 'table-rows': [one, one], values: [two, two] })
      expect((await p.response.getByRole('columnheader').first().boundingBox())!.height).toBe(one)
    }
  })

  await step('the timeout applies to requests without their own', async () => {
    await newRequest(page)
    await page.keyboard.press('Control+,')
    const settings = page.getByRole('dialog', { name: 'Settings' })
    await settings.getByRole('tab', { name: 'Requests' }).click()
    await settings.getByRole('spinbutton', { name: /Request timeout/ }).fill('7')
    await expect
      .poll(() =>
        page.evaluate(async () => ((await (await fetch('/explorer/settings')).json()) as { timeout?: number }).timeout),
      )
      .toBe(7)
    await page.keyboard.press('Escape')
    await p.path.fill('/setting/version')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
  })
})
