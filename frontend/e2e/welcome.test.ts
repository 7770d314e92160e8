import { expect, test } from 'vitest'
import { parts, suite, until } from './harness'

const portal = suite()

test('every sample opens a filled tab that the portal answers', async () => {
  const page = await portal.page()
  const p = parts(page)
  const list = page.getByRole('region', { name: 'Sample requests' }).getByRole('button')
  expect(await list.count()).toBe(6)
  for (let i = 0; i < 6; i++) {
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    const post = /POST/.test((await list.nth(i).textContent()) ?? '')
    await list.nth(i).click()
    await p.path.waitFor()
    await page.keyboard.press('Control+Enter')
    await until(p.status, post ? /^201 Created/ : /^200 OK .* items?$/)
  }
  expect(await p.tabs.count()).toBe(6)
})

test('a recent request opens again', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await page.getByRole('button', { name: 'API Explorer' }).click()
  await p.path.fill('/setting/version')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  await page.getByRole('button', { name: 'Welcome screen' }).click()
  await page.getByRole('region', { name: 'Recent requests' }).getByRole('button', { name: /\/setting\/version/ }).click()
  expect(await p.path.inputValue()).toBe('/setting/version')
  await until(p.status, /^200 OK/)
})
