import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findings } from './findings'
import { parts, suite, until } from './harness'
import { small } from './states'

const portal = suite()

async function settings(page: Page, section = '') {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Settings' }).click()
  const nav = page.getByRole('navigation', { name: 'Portal settings' })
  if (section) await nav.getByRole('button', { name: section }).click()
  return { nav, list: page.getByRole('grid'), toast: page.getByTestId('toast') }
}

test('a user is added, validated, changed despite a conflict, and deleted', async () => {
  const page = await portal.page({ fresh: true })
  const { list, toast } = await settings(page, 'Users')
  await page.getByRole('button', { name: 'Add user' }).click()
  const form = page.getByRole('region', { name: 'New user' })
  await form.getByRole('textbox', { name: /^User name/ }).fill('jo doe')
  await form.getByRole('button', { name: 'Add user' }).click()
  await form.getByText('Email address is required.').waitFor() // before anything is sent
  await form.getByRole('textbox', { name: /^Email address/ }).fill('jo@example.net')
  await form.getByRole('checkbox', { name: 'readonly' }).check()
  // The user form stays open while the user adds a missing role, and selects the new role.
  await form.getByRole('button', { name: 'New role' }).press('Enter')
  const role = page.getByRole('region', { name: 'New role' })
  await expect.poll(() => role.getByRole('textbox', { name: /^Name/ }).evaluate((e) => e.matches(':focus'))).toBe(true)
  await page.keyboard.type('On call')
  await page.keyboard.press('Control+s')
  await expect.poll(() => form.getByRole('checkbox', { name: 'On call' }).isChecked()).toBe(true)
  await expect.poll(() => form.getByRole('textbox', { name: /^Email address/ }).inputValue()).toBe('jo@example.net')
  await form.getByLabel(/^Password/).fill('correct horse battery 7')
  await page.keyboard.press('Control+s')
  await form
    .locator('[data-field="username"]')
    .getByText(/username must not contain spaces/)
    .waitFor() // the portal's message, at its field
  await form.getByRole('textbox', { name: /^User name/ }).fill('jo')
  await page.keyboard.press('Control+s')
  await until(toast, /Added jo/)
  await list.getByRole('row', { name: /jo.*readonly.*Active/ }).waitFor()

  // Edits survive a change of screen and a reload; a password does not.
  const jo = page.getByRole('region', { name: 'jo', exact: true })
  await jo.getByRole('textbox', { name: 'Last name' }).fill('Mine')
  await jo.getByLabel('New password').fill('never kept anywhere')
  await page.getByRole('navigation', { name: 'Portal settings' }).getByRole('button', { name: 'Roles' }).click()
  await expect
    .poll(() => page.evaluate(async () => JSON.stringify(await (await fetch('/explorer/settings')).json())))
    .toMatch(/"lastName":"Mine"/)
  expect(await page.evaluate(async () => JSON.stringify(await (await fetch('/explorer/settings')).json()))).not.toMatch(
    /never kept/,
  )
  await page.reload()
  await page
    .getByRole('navigation', { name: 'Portal settings' })
    .getByRole('button', { name: /Users.*unsaved changes/ })
    .click()
  await list.getByRole('row', { name: /jo.*unsaved changes/ }).click()
  await expect.poll(() => jo.getByRole('textbox', { name: 'Last name' }).inputValue()).toBe('Mine')

  // Another user changes the same field: the page shows both values, and the user keeps theirs.
  await page.evaluate(async () => {
    const { user } = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
    const { items } = (await (await fetch('/api/setting/admins?filter=username:"jo"')).json()) as {
      items: { id: number }[]
    }
    await fetch(`/api/setting/admins/${items[0].id}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': user.csrfToken },
      body: '{"lastName":"Theirs"}',
    })
  })
  await jo.getByRole('button', { name: 'Save' }).click()
  const conflict = jo.getByRole('alert', { name: 'Conflicting changes' })
  await until(conflict, /Theirs\s*Theirs.*Yours\s*Mine/)
  expect(await findings(page)).toEqual([])
  await conflict.getByRole('button', { name: 'Keep mine' }).click()
  await jo.getByRole('button', { name: 'Save' }).click()
  await until(toast, /Saved jo/)

  await jo.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog', { name: 'Delete jo?' }).getByRole('button', { name: 'Delete' }).click()
  await until(toast, /Deleted jo/)
  await expect.poll(() => list.getByRole('row').count()).toBe(4) // the header and three users
})

test('a token is shown once, a role is a matrix, a collector gets an installer, and the portal searches', async () => {
  const page = await portal.page({ fresh: true })
  const { nav, list, toast } = await settings(page, 'API tokens')
  await page.getByRole('button', { name: 'Add API token' }).click()
  await page.getByRole('textbox', { name: 'Description' }).fill('backup script')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'Copy Bearer token' }).click()
  await until(toast, /Copied bearer token/)
  const bearer = await page.evaluate(() => navigator.clipboard.readText())
  expect(
    (
      await page.request.get(`${portal.url}/api/setting/version`, { headers: { Authorization: `Bearer ${bearer}` } })
    ).status(),
  ).toBe(200)
  await page.getByRole('button', { name: /Done/ }).click()
  await list.getByRole('row', { name: /backup script.*admin/ }).waitFor()
  expect(await page.content()).not.toContain(bearer)
  await page
    .getByRole('region', { name: 'backup script' })
    .getByRole('radio', { name: 'Suspended' })
    .check({ force: true })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await list.getByRole('row', { name: /backup script.*Suspended/ }).waitFor()
  expect(
    (
      await page.request.get(`${portal.url}/api/device/devices`, { headers: { Authorization: `Bearer ${bearer}` } })
    ).status(),
  ).toBe(401)

  await nav.getByRole('button', { name: 'Roles' }).click()
  await page.getByRole('button', { name: 'Add role' }).click()
  await page.getByRole('textbox', { name: /^Name/ }).fill('Night shift')
  await page.getByRole('radio', { name: 'All devices: Ack' }).check({ force: true })
  await page.getByRole('radio', { name: 'Audit log: View' }).check({ force: true })
  await page.getByRole('region', { name: 'New role' }).getByRole('button', { name: 'Add role' }).click()
  await list.getByRole('row', { name: /Night shift.*View and acknowledge all devices, view 1 settings area/ }).waitFor()
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })

  await nav.getByRole('button', { name: 'Collectors' }).click()
  await list.getByRole('row', { name: /Austin/ }).click()
  await page.getByRole('radio', { name: 'Windows' }).check({ force: true })
  await page.getByRole('button', { name: 'Create installer' }).click()
  await until(page.getByRole('region', { name: 'Installer' }), /Invoke-WebRequest/)
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })

  await nav.getByRole('button', { name: 'Audit log' }).click()
  await page.getByRole('searchbox', { name: 'Search audit log' }).fill('night shift')
  await expect.poll(() => list.getByRole('row').count()).toBe(2)
  await list.getByRole('row', { name: /Added the role/ }).click()
  await page
    .getByRole('table')
    .getByRole('row', { name: /name.*Night shift/ })
    .waitFor()
  await page.getByRole('button', { name: 'Open in API Explorer: Audit log' }).click()
  await until(parts(page).status, /^200 OK.*1 items?/)
})

test('rules are reordered, chains are drawn, and a test shows the response of the receiver, by keyboard', async () => {
  const page = await portal.page({ fresh: true })
  const { nav, list, toast } = await settings(page, 'Alert rules')
  const names = async () => (await list.getByRole('row').allInnerTexts()).slice(1).map((t) => t.split('\n')[1])
  await list.getByRole('row').nth(1).waitFor()
  const before = await names()
  await list.getByRole('row').nth(1).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Move up' }).click()
  await until(toast, /^Moved .* before/)
  await expect.poll(names).toEqual([before[1], before[0], ...before.slice(2)])
  await page.getByRole('button', { name: 'Move down' }).click()
  await expect.poll(names).toEqual(before)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('row')

  await nav.getByRole('button', { name: 'Escalation chains' }).click()
  await list.getByRole('row', { name: /Network operations/ }).click()
  await page.getByText('Stage 3', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add stage' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Stage 4' }).getByRole('button', { name: 'Add recipient' }).click()
  await page.getByRole('combobox', { name: 'Recipient 1 of stage 4', exact: true }).fill('nobody')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await until(page.getByRole('listitem').filter({ hasText: 'Stage 4' }).getByRole('alert'), /there is no user "nobody"/)
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
  await page.getByRole('button', { name: 'Discard edits' }).click()

  await nav.getByRole('button', { name: 'Integrations' }).click()
  await list.getByRole('row').nth(1).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  await until(toast, /^Test failed: .+|accepted the test notification/)
  await nav.getByRole('button', { name: 'Delivery log' }).click()
  await page.getByRole('button', { name: 'Failed', exact: true }).click()
  await list.getByRole('row').nth(1).click()
  await page.getByRole('button', { name: 'Send again' }).click()
  await until(toast, /Sending to .* again/)

  await nav.getByRole('button', { name: 'Portal', exact: true }).click()
  await page.getByRole('spinbutton', { name: 'Audit log' }).fill('0')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(/Audit log must be from 1 to 3,650/).waitFor()
  const days = page.getByRole('spinbutton', { name: 'Audit log' })
  await days.fill('ten')
  await days.press('Tab')
  await page.getByText('Audit log must be a whole number.').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(() => days.evaluate((e) => e === document.activeElement && (e as HTMLInputElement).value))
    .toBe('ten') // kept, but not sent
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
  await page.getByRole('button', { name: 'Discard edits' }).click()
})

test('at 1280 pixels, column titles are not cut, and a tag field has no empty line', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const { nav } = await settings(page, 'Collectors')
  const cut = () =>
    page
      .locator('.head h2')
      .first()
      .evaluate((title) => {
        const words = document.createRange()
        words.selectNodeContents(title)
        return Math.max(0, words.getBoundingClientRect().width - title.getBoundingClientRect().width - 0.01)
      })
  for (const name of ['Collectors', 'Escalation chains']) {
    await nav.getByRole('button', { name, exact: true }).click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
    await page.getByRole('grid').getByRole('row').nth(1).click()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor() // the open form narrows the list
    expect([name, await cut()]).toEqual([name, 0])
  }
  await nav.getByRole('button', { name: 'Alert rules' }).click()
  await page.getByRole('row', { name: /Shop and booking down/ }).click()
  const words = page.locator('.words', { has: page.getByText('Services/Booking*') })
  expect(await words.evaluate((e) => e.clientHeight)).toBeLessThan(40)
})
