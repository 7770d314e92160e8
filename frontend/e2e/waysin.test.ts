import { expect, test } from 'vitest'
import { parts, suite } from './harness'

const portal = suite()

test('welcome screen: select the API Explorer entry', async () => {
  const page = await portal.page({ fresh: true })
  await page.getByRole('main', { name: 'Welcome' }).getByRole('button', { name: 'API Explorer' }).click()
  await parts(page).path.waitFor()
})

test('command palette: press Ctrl+K and type "API"', async () => {
  const page = await portal.page({ fresh: true })
  await page.keyboard.press('Control+K')
  await page.keyboard.type('API')
  const options = parts(page).palette.getByRole('option')
  expect((await options.allInnerTexts()).slice(0, 2).map((t) => t.split('\n')[0].trim())).toEqual([
    'API Explorer',
    'New API Request',
  ])
  await page.keyboard.press('Enter')
  await parts(page).path.waitFor()
})

test('new tab: select + and then New API Request', async () => {
  const page = await portal.page({ fresh: true })
  await page.getByRole('button', { name: 'New tab' }).click()
  await page.getByRole('menuitem', { name: 'New API Request' }).click()
  await parts(page).path.waitFor()
})

test('new tab: the + is there in every view', async () => {
  const page = await portal.page({ fresh: true })
  for (const view of ['Monitor', 'API']) {
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: view }).click()
    await page.getByRole('button', { name: 'New tab' }).click()
    await page.getByRole('menuitem', { name: 'New API Request' }).click()
    await parts(page).path.waitFor()
  }
})

test('keyboard: press K with the modifier, then M, to toggle to the API view', async () => {
  const page = await portal.page({ fresh: true })
  await page.keyboard.press('Control+K')
  await parts(page).palette.getByText('Ctrl K M').waitFor()
  await page.keyboard.press('m')
  await parts(page).path.waitFor()
})

test('the welcome screen says who is signed in to what and where the data lies', async () => {
  const page = await portal.page({ fresh: true })
  const main = page.getByRole('main', { name: 'Welcome' })
  await main.getByText(/signed in as admin to \S/).waitFor()
  await main.getByText(/data in \S/).waitFor()
  await expect.poll(() => main.getByRole('region', { name: 'Sample requests' }).getByRole('button').count()).toBe(6)
})

test('the title of the window names what is shown and its portal', async () => {
  const page = await portal.page({ fresh: true })
  await expect.poll(() => page.title()).toMatch(/^Welcome screen · .+ · Spyglass$/)
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'API' }).click()
  await parts(page).path.fill('/device/groups')
  await expect.poll(() => page.title()).toMatch(/^GET \/device\/groups · .+ · Spyglass$/)
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await expect.poll(() => page.title()).toMatch(/^Overview · .+ · Spyglass$/)
})
