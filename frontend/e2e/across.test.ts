import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { newRequest, parts, portalOfFile, raw, suite, until } from './harness'
import { password } from './portal'
import { portalForm, switcher } from './stub'

const home = suite()
const away = portalOfFile()

/** Adds the other portal, signs in to it, and switches back to the first portal. */
async function withAnother(page: Page) {
  const form = await portalForm(page, 'Far away', `${away.url}/api`)
  await form.getByRole('button', { name: 'Add portal' }).click()
  const signIn = page.getByRole('dialog', { name: 'Sign in to Far away' })
  await signIn.getByLabel('User name').fill('admin')
  await signIn.getByLabel('Password').fill(password)
  await signIn.getByRole('button', { name: 'Sign in' }).click()
  await signIn.waitFor({ state: 'detached' })
  await page.getByText(/Loaded the API catalog of Far away/).waitFor()
  await switcher(page).click()
  await page.getByRole('menuitemradio', { name: /Demo/ }).first().click()
  await until(switcher(page), /Demo/)
}

test('a list is compared with another portal, and missing items are created and undone', async () => {
  const page = await home.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await withAnother(page)
  const shots = process.env.SPYGLASS_SHOTS
  const shot = (name: string) => (shots ? page.screenshot({ path: `${shots}/across-${name}.png` }) : undefined)

  await p.method.selectOption('POST')
  await p.path.fill('/device/groups')
  await p.path.blur()
  await raw(
    page,
    '{"name":"Only here","parentId":1,"customProperties":[{"name":"snmp.community","value":"c0mmun1ty"}]}',
  )
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^201/)
  const { id } = JSON.parse(
    await (await page.request.get(`${home.url}/api/device/groups?filter=name:"Only here"`)).text(),
  ).items[0] as { id: number }
  await raw(page, `{"name":"Inside","parentId":${id}}`)
  await page.keyboard.press('Control+Enter')
  await until(p.response, /Inside/)

  await p.method.selectOption('GET')
  await page.keyboard.press('Control+Alt+Enter')
  const dialog = page.getByRole('dialog', { name: 'Compare with another portal' })
  await shot('confirm')
  await dialog.getByRole('button', { name: 'Send to both and compare' }).click()
  const differences = p.response.getByRole('region', { name: 'Comparison' })
  await differences.getByText(/Far away: GET \/device\/groups/).waitFor()
  await until(differences.locator('.sum'), /difference/)
  await shot('responses')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+Alt+Enter')
  await page.keyboard.press('Enter') // lists are compared by default
  const lists = page.getByRole('dialog', { name: /^\/device\/groups in .* and Far away$/ })
  const items = lists.getByRole('listbox', { name: 'Items of both lists' })
  await items.getByRole('option', { name: 'Only here/Inside' }).click()
  const details = lists.getByRole('region', { name: 'Details' })
  await details.getByText('parentId gets the ID of “Only here”, which is created first.').waitFor()
  await items.getByRole('option', { name: /^\+? ?Only here only in/ }).click()
  await details.getByText('customProperties snmp.community: a secret').waitFor()
  await shot('locked')
  await lists.getByRole('button', { name: 'Unlock Far away' }).click() // production portals are read-only
  await lists.getByRole('button', { name: 'Create all 2 in Far away…' }).waitFor()
  await shot('lists')
  await items.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  expect(await items.getByRole('option', { selected: true }).count()).toBe(2)
  await lists.getByRole('button', { name: 'Create 2 in Far away…' }).click()
  const sure = page.getByRole('dialog', { name: 'Create 2 items in Far away?' })
  await shot('create')
  await sure.getByRole('button', { name: 'Create 2 items' }).click()
  await lists.getByText('Created 2 items in Far away.').waitFor()
  await shot('created')
  await lists.getByRole('button', { name: 'Undo all' }).click()
  await expect.poll(() => lists.getByText('undone', { exact: true }).count()).toBe(2)
  await lists.getByRole('button', { name: 'Compare again' }).click()
  await items.getByRole('option', { name: 'Only here/Inside' }).waitFor()
  await page.keyboard.press('Escape')
  await lists.waitFor({ state: 'detached' })
})
