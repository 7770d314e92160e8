import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, signIn, suite, tabNames, until } from './harness'
import { step } from './story'

const portal = suite()

/** Opens a tab for each path. */
async function openAll(page: Page, paths: string[]) {
  for (const path of paths) {
    await newRequest(page)
    await parts(page).path.fill(path)
    await page.keyboard.press('Escape')
  }
}

const saved = (page: Page) =>
  page.waitForResponse((r) => r.request().method() === 'PATCH' && r.url().includes('/explorer/tabs/') && r.ok())

test('kill -9 loses at most a second', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices')
  await page.keyboard.press('Escape') // closes the suggestions, which cover the response
  await p.response.getByRole('tab', { name: 'Headers' }).click()
  await newRequest(page)
  await p.path.fill('/device/groups')
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'Tab name' }).fill('Mine')
  await page.keyboard.press('Enter')
  const before = await tabNames(page)
  const written = page.waitForResponse(
    (r) => r.request().method() === 'PATCH' && (r.request().postData() ?? '').includes('/device/groups/{id}') && r.ok(),
  )
  await p.path.fill('/device/groups/{id}?fields=id')
  await written
  await portal.crash()
  await page.goto(portal.url)
  await signIn(page) // the restart ends all sessions
  await p.path.waitFor()
  await expect.poll(() => tabNames(page)).toEqual(before)
  await expect.poll(() => p.path.inputValue()).toContain('/device/groups/{id}')
  await p.tabs.nth(before.length - 2).click()
  await until(p.status, /^200 OK/)
  await expect.poll(() => p.response.getByRole('tab', { name: 'Headers' }).getAttribute('aria-selected')).toBe('true')
})

test('edits stay in their tab, and tabs that do not fit are in a menu', async () => {
  const page = await portal.page({ width: 1280, height: 800, theme: 'light' })
  const p = parts(page)
  await step('switching tabs by key while typing a path loses nothing', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups?size=3')
    await page.keyboard.press('Control+T')
    await expect.poll(() => p.path.inputValue()).toBe('')
    await page.keyboard.press('Control+Shift+Tab')
    await expect.poll(() => p.path.inputValue()).toBe('/device/groups')
    await expect.poll(() => p.request.getByRole('textbox', { name: 'size value' }).inputValue()).toBe('3')
  })

  await step('tabs that do not fit are in a menu', async () => {
    const before = (await tabNames(page)).length
    await openAll(
      page,
      Array.from({ length: 9 }, (_, i) => `/device/devices/${i}`),
    )
    const strip = page.getByRole('tablist', { name: 'Open tabs' })
    await strip.hover()
    await page.mouse.wheel(0, -3000)
    await expect.poll(() => strip.evaluate((e) => e.scrollLeft)).toBe(0)
    await page.getByRole('button', { name: /^All \d+ tabs$/ }).click()
    const all = page.getByRole('menu', { name: 'All tabs' }).getByRole('menuitemradio')
    await expect.poll(() => all.count()).toBe(before + 9)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/overflow.png` })
    await all.filter({ hasText: '/device/devices/0' }).click()
    await expect.poll(() => parts(page).path.inputValue()).toBe('/device/devices/0')
  })
})

test('the keyboard pins, moves, closes and reopens tabs', async () => {
  const page = await portal.page({ user: 'operator' })
  const p = parts(page)
  await openAll(page, ['/a', '/b', '/c', '/d'])
  const first = (await tabNames(page)).length - 4
  const names = async () => (await tabNames(page)).slice(first > 0 ? 0 : undefined)
  await expect.poll(() => names()).toEqual(['GET /a', 'GET /b', 'GET /c', 'GET /d'])
  await page.keyboard.press('Control+Shift+PageUp')
  await expect.poll(() => names()).toEqual(['GET /a', 'GET /b', 'GET /d', 'GET /c'])
  await p.tabs.nth(1).focus()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menu', { name: 'Tab' }).waitFor()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/tab-menu.png` })
  await page.getByRole('menuitem', { name: 'Pin' }).press('Enter')
  await expect.poll(() => names()).toEqual(['GET /b', 'GET /a', 'GET /d', 'GET /c'])
  await p.tabs.nth(2).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Close other tabs' }).click()
  await expect.poll(names).toEqual(['GET /b', 'GET /d'])
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await names()).sort()).toEqual(['GET /a', 'GET /b', 'GET /c', 'GET /d'])
  await p.tabs.nth(3).click({ button: 'middle' })
  await p.tabs.nth(2).focus()
  await page.keyboard.press('Delete')
  await expect.poll(async () => (await names()).length).toBe(2)
  await page.reload()
  await p.path.waitFor()
  await expect.poll(async () => (await names()).length).toBe(2)
  await page.keyboard.press('Control+Shift+T')
  await expect.poll(async () => (await names()).length).toBe(3)
  await page.keyboard.press('Control+Shift+T')
  await expect.poll(async () => (await names()).sort()).toEqual(['GET /a', 'GET /b', 'GET /c', 'GET /d'])
})

test('two windows share tabs without overwriting each other', async () => {
  const page = await portal.page({ user: 'viewer', fresh: true })
  const other = await page.context().newPage()
  const writes: string[] = [] // by the other page
  other.on('request', (r) => r.url().includes('/explorer/tabs') && r.method() !== 'GET' && writes.push(r.method()))
  await openAll(page, ['/device/devices'])
  await saved(page).catch(() => {})
  let connect = () => {}
  const changed = new Promise<void>((resolve) => (connect = resolve))
  await other.route('**/explorer/events', (route) => changed.then(() => route.continue()))
  let load = () => {}
  const shown = new Promise<void>((resolve) => (load = resolve))
  await other.route('**/explorer/catalog*', (route) => shown.then(() => route.continue()))
  await other.goto(portal.url)
  await other
    .getByRole('button', { name: 'API', exact: true })
    .first()
    .click()
    .catch(() => {})
  const [a, b] = [parts(page), parts(other)]
  await expect.poll(() => tabNames(other)).toEqual(['GET /device/devices'])
  await b.request.getByLabel('size value', { exact: true }).waitFor()
  load() // opening a tab saves nothing, before and after the catalog has loaded

  const unheard = saved(page)
  await a.path.fill('/device/groups')
  await unheard
  expect(await tabNames(other)).toEqual(['GET /device/devices'])
  connect() // the change was before the other page's stream
  await expect.poll(() => tabNames(other)).toEqual(['GET /device/groups'])
  await a.path.fill('/device/devices')
  await expect.poll(() => tabNames(other)).toEqual(['GET /device/devices'])
  expect(writes).toEqual([])

  await other.route('**/explorer/tabs?*', (route) => route.abort()) // the other page misses the next change
  const first = saved(page)
  await a.path.fill('/mine')
  await first
  await b.path.fill('/theirs')
  const alert = other.getByRole('alert').filter({ hasText: 'Another window changed this request to GET /mine.' })
  await alert.waitFor()
  if (process.env.SHOTS) await other.screenshot({ path: `${process.env.SHOTS}/conflict.png` })
  await expect.poll(() => b.path.inputValue()).toBe('/theirs')
  await expect.poll(() => a.path.inputValue()).toBe('/mine')
  await alert.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(() => a.path.inputValue()).toBe('/theirs')
})

test('tab names show the part that differs', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const { palette, tabs } = parts(page)
  await step('a long last segment is shortened in the middle, and read out in full', async () => {
    const paths = ['/device/devices/{id}/enabledAutomaticDiscovery', '/device/devices/{id}/currentAutomaticDiscovery']
    await openAll(page, paths)
    await expect
      .poll(() => tabs.locator('.end .tail').allInnerTexts())
      .toEqual([expect.stringMatching(/^…\/enab.*….*Discovery$/), expect.stringMatching(/^…\/curr.*….*Discovery$/)])
    for (const [i, path] of paths.entries()) {
      const tail = tabs.nth(i).locator('.end .tail')
      expect(await tail.evaluate((e) => e.scrollWidth <= e.clientWidth)).toBe(true)
      expect(await tabs.nth(i).getAttribute('title')).toContain(path)
    }
  })

  await step('requests of one path are distinguished by their query', async () => {
    await openAll(
      page,
      Array.from({ length: 9 }, (_, i) => `/alert/alerts?offset=${50 * i}`),
    )
    await page.getByRole('button', { name: /^All \d+ tabs$/ }).click()
    const all = page.getByRole('menu', { name: 'All tabs' }).getByRole('menuitemradio')
    await expect
      .poll(async () => (await all.allInnerTexts()).slice(-9, -7).map((t) => t.replace(/\s+/g, ' ').trim()))
      .toEqual(['GET /alert/alerts offset=0', 'GET /alert/alerts offset=50'])
    await page.keyboard.press('Escape')
    expect(await tabs.nth(-8).getAttribute('title')).toBe('GET /alert/alerts offset=50: API request, unsaved changes')
    await page.keyboard.press('Control+P')
    await page.keyboard.insertText('offset=150')
    await until(palette.getByRole('group', { name: 'Tabs' }).getByRole('option'), /\/alert\/alerts\s*offset=150/)
    await page.keyboard.press('Escape')
  })

  await step('requests ending in the same id are distinguished with any number of tabs', async () => {
    await openAll(page, [
      '/device/devices/7',
      '/device/groups/7',
      '/alert/alerts/7',
      '/report/reports/7',
      '/setting/admins/7',
      '/setting/roles/7',
      '/sdt/sdts/7',
    ])
    await expect
      .poll(() =>
        tabs
          .locator('.path')
          .evaluateAll((all) =>
            all
              .slice(-7)
              .map((path) => (path.querySelector('.end') ?? path).textContent!.trim().replace(/^.*\/(\w+\/7)$/, '$1')),
          ),
      )
      .toEqual(['devices/7', 'groups/7', 'alerts/7', 'reports/7', 'admins/7', 'roles/7', 'sdts/7'])
  })
})
