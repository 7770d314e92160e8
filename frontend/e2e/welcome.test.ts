import { expect, test } from 'vitest'
import { parts, suite, until } from './harness'

const portal = suite()

test('every sample opens a filled tab that the portal answers', async () => {
  const page = await portal.page()
  const p = parts(page)
  const list = page.getByRole('region', { name: 'Sample requests' }).getByRole('button')
  await expect.poll(() => list.count()).toBe(6)
  for (let i = 0; i < 6; i++) {
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    const says = (await list.nth(i).textContent()) ?? ''
    const [post, data] = [/POST/.test(says), /Data of/.test(says)]
    await list.nth(i).click()
    await p.path.waitFor()
    await page.keyboard.press('Control+Enter')
    await until(p.status, post ? /^201 Created/ : data ? /^200 OK/ : /^200 OK .* items?$/)
  }
  await expect.poll(() => p.tabs.count()).toBe(6)
})

test('a recent request opens again', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await page.getByRole('button', { name: 'API Explorer' }).click()
  await p.path.fill('/setting/version')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  await page.getByRole('button', { name: 'Welcome screen' }).click()
  await page
    .getByRole('region', { name: 'Recent requests' })
    .getByRole('button', { name: /\/setting\/version/ })
    .click()
  await expect.poll(() => p.path.inputValue()).toBe('/setting/version')
  await until(p.status, /^200 OK/)
})

test('the tour goes through five stops, is left with Escape, and is not offered again', async () => {
  const page = await portal.page({ fresh: true })
  const tour = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Start tour' }).focus()
  await page.keyboard.press('Enter')
  const stops = ['Every endpoint', 'Fill in', 'Read the response', 'Reuse requests', 'Monitor the']
  for (const [i, title] of stops.entries()) {
    await tour.getByRole('heading', { name: title }).waitFor()
    await tour.getByText(`${i + 1} of 5`).waitFor()
    const box = (await tour.boundingBox())!
    expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1440 && box.y + box.height <= 900).toBe(true)
    if (i < 4) await page.keyboard.press(i % 2 ? 'ArrowRight' : 'Enter')
  }
  await page.getByRole('main', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await tour.getByRole('heading', { name: stops[3] }).waitFor()
  await until(parts(page).status, /^200 OK/)
  await page.keyboard.press('Escape')
  await tour.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Welcome screen' }).click()
  await page.getByRole('button', { name: 'API Explorer', exact: true }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Start tour' }).count()).toBe(0)
})
