import { expect, test } from 'vitest'
import { endpoint, newRequest, parts, sendPath, suite, tabNames, until } from './harness'
import { step } from './story'

const portal = suite()

test('endpoints are searched and selected, and never replace an edited request', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('search matches path, method and description, and selecting fills an untouched tab', async () => {
    await newRequest(page)
    await p.search.fill('get device devices')
    const hit = endpoint(page, 'GET /device/devices')
    await hit.click()
    await expect.poll(() => p.method.inputValue()).toBe('GET')
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices')
    await expect.poll(() => p.tabs.count()).toBe(1)
    await expect.poll(() => tabNames(page)).toEqual(['GET /device/devices'])
    await p.tools.getByRole('tab', { name: 'Docs', selected: true }).waitFor()
    await p.tools.getByRole('heading', { level: 2 }).waitFor()
  })

  await step('selecting another endpoint clears the response of an unedited request', async () => {
    await p.search.fill('get setting version')
    await endpoint(page, 'GET /setting/version').click()
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
    await p.search.fill('get device groups')
    await endpoint(page, 'GET /device/groups').click()
    await expect.poll(() => tabNames(page)).toEqual(['GET /device/groups'])
    await expect.poll(() => p.status.innerText()).not.toContain('200')
  })

  await step('DELETE is spelled out wherever methods are shown', async () => {
    await p.search.fill('delete device devices')
    await endpoint(page, 'DELETE /device/devices/{id}').click()
    await expect.poll(() => p.tabs.first().innerText()).toMatch(/DELETE/)
    await expect.poll(() => page.getByText('DEL', { exact: true }).count()).toBe(0)
  })

  await step('selecting an endpoint never overwrites an edited request', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups/1')
    await p.search.fill('version')
    await endpoint(page, 'GET /setting/version').click()
    await expect.poll(() => p.path.inputValue()).toBe('/setting/version')
    const names = await tabNames(page)
    expect(names).toContain('GET /device/groups/1')
    expect(names).toContain('GET /setting/version')
  })

  await step('selecting a POST inserts an example body', async () => {
    await p.search.fill('post devices')
    await endpoint(page, 'POST /device/devices').click()
    await expect.poll(() => p.method.inputValue()).toBe('POST')
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    await p.request.locator('.cm-content').getByText('displayName').first().waitFor()
  })
})

test('favourites and recent endpoints are above the categories', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('matches are highlighted, and a key adds and removes favourites', async () => {
    await newRequest(page)
    await p.search.fill('preferredCollectorId device')
    const hit = p.catalog.getByRole('treeitem').first()
    await expect.poll(() => hit.innerText()).toContain('preferredCollectorId')
    await p.search.fill('get device devices')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('f')
    await p.catalog.getByText('Added GET /device/devices to favourites', { exact: true }).waitFor({ state: 'attached' })
    await p.search.fill('')
    await p.catalog.getByRole('treeitem', { name: /^Favourites 1/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('f')
    await p.catalog.getByText('Removed GET /device/devices from favourites').waitFor({ state: 'attached' })
    await expect.poll(() => p.catalog.getByRole('treeitem', { name: /^Favourites/ }).count()).toBe(0)
  })

  await step('categories expand and collapse by keyboard', async () => {
    const category = p.catalog.getByRole('treeitem', { name: /^Settings \d/ })
    await category.focus()
    const before = await category.getAttribute('aria-expanded')
    await page.keyboard.press(before === 'true' ? 'ArrowLeft' : 'ArrowRight')
    await expect.poll(() => category.getAttribute('aria-expanded')).toBe(before === 'true' ? 'false' : 'true')
  })

  await step('recent endpoints move to the top when the tree is idle, and are selected once', async () => {
    const recent = p.catalog.getByRole('treeitem', { name: /^Recent/ })
    const selected = p.catalog.getByRole('treeitem', { selected: true })
    await endpoint(page, 'GET /device/devices').click()
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices')
    expect(await recent.count()).toBe(0)
    await p.path.click()
    await until(recent, /^Recent 1$/)
    await expect.poll(() => selected.allInnerTexts()).toEqual([expect.stringMatching(/List devices/i)])
    await p.catalog.getByRole('treeitem', { name: /^Devices \d/ }).click()
    await expect.poll(() => selected.count()).toBe(1)
    await expect.poll(() => selected.innerText()).toMatch(/^GET\s*\/device\/devices\s*\/device\/devices$/)
    await p.path.click() // moves the pointer out of the tree
    await sendPath(page, '/device/groups')
    await until(recent, /^Recent 2$/)
    expect(
      (await p.catalog.getByRole('treeitem').allInnerTexts()).slice(0, 3).map((t) => t.replace(/\s+/g, ' ').trim()),
    ).toEqual(['Recent 2', 'GET /device/groups /device/groups', 'GET /device/devices /device/devices'])
  })
})
