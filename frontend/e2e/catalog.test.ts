import { expect, test } from 'vitest'
import { endpoint, newRequest, parts, suite, tabNames } from './harness'

const portal = suite()

test('search matches path, method and description, and choosing fills an untouched tab', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await p.search.fill('get device devices')
  const hit = endpoint(page, 'GET /device/devices')
  await hit.click()
  expect(await p.method.inputValue()).toBe('GET')
  expect(await p.path.inputValue()).toBe('/device/devices')
  expect(await p.tabs.count()).toBe(1)
  expect(await tabNames(page)).toEqual(['GET /device/devices'])
  await p.tools.getByRole('tab', { name: 'Docs', selected: true }).waitFor()
  await p.tools.getByRole('heading', { level: 2 }).waitFor()
})

test('an edited request is never overwritten by a choice', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await p.path.fill('/device/groups/1')
  await p.search.fill('version')
  await endpoint(page, 'GET /setting/version').click()
  expect(await p.path.inputValue()).toBe('/setting/version')
  const names = await tabNames(page)
  expect(names).toContain('GET /device/groups/1')
  expect(names).toContain('GET /setting/version')
})

test('what matched is shown, and favourites come and go by key', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await p.search.fill('preferredCollectorId device')
  const hit = p.catalog.getByRole('treeitem').first()
  expect(await hit.innerText()).toContain('preferredCollectorId')
  await p.search.fill('get device devices')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('f')
  await p.catalog.getByText('GET /device/devices is a favourite', { exact: true }).waitFor({ state: 'attached' })
  await p.search.fill('')
  await p.catalog.getByRole('treeitem', { name: /^Favourites 1/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('f')
  await p.catalog.getByText('GET /device/devices is no favourite any more').waitFor({ state: 'attached' })
  expect(await p.catalog.getByRole('treeitem', { name: /^Favourites/ }).count()).toBe(0)
})

test('every key of a search is answered within a frame', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await p.search.fill('a')
  await p.search.fill('')
  const took = await p.search.evaluate(async (input: HTMLInputElement) => {
    const times: number[] = []
    for (const text of ['d', 'de', 'dev', 'devi', 'device', 'device i', 'device id', 'device id p', '']) {
      await new Promise(requestAnimationFrame)
      const begun = performance.now()
      input.value = text
      input.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise<void>((done) => queueMicrotask(() => setTimeout(done)))
      document.body.getBoundingClientRect() // layout belongs to it
      times.push(performance.now() - begun)
    }
    return times.sort((a, b) => a - b)
  })
  expect(took[Math.floor(took.length / 2)]).toBeLessThan(16)
})

test('choosing a POST puts an example body in', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await p.search.fill('post devices')
  await endpoint(page, 'POST /device/devices').click()
  expect(await p.method.inputValue()).toBe('POST')
  await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
  await p.request.locator('.cm-content').getByText('displayName').first().waitFor()
})

test('docs come when a path is typed, with an id in place, too', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await p.path.fill('/device/devices/42')
  await p.tools.getByText('/device/devices/{id}').first().waitFor()
  await p.tools.getByText('Path parameters').waitFor()
})

test('categories open and close with the keyboard', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  const category = p.catalog.getByRole('treeitem', { name: /^Settings \d/ })
  await category.focus()
  const before = await category.getAttribute('aria-expanded')
  await page.keyboard.press(before === 'true' ? 'ArrowLeft' : 'ArrowRight')
  expect(await category.getAttribute('aria-expanded')).toBe(before === 'true' ? 'false' : 'true')
})
