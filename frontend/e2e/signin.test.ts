import { expect, test } from 'vitest'
import { findings } from './findings'
import { newRequest, parts, suite, until } from './harness'
import { password } from './portal'
import { step } from './story'

const portal = suite()

test('a failed sign-in is explained, and the focus moves to the wrong field', async () => {
  const page = await portal.page({ signedOut: true })
  await step('missing fields are marked without a request', async () => {
    await expect
      .poll(() => page.getByRole('textbox', { name: 'User name' }).evaluate((e) => e === document.activeElement))
      .toBe(true)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await until(page.getByRole('alert'), /^Type your user name\.$/)
    await page.keyboard.type('admin')
    await page.keyboard.press('Enter')
    await until(page.getByRole('alert'), /^Type your password\.$/)
  })

  await step('a wrong password is explained, and its field gets the focus', async () => {
    await page.getByRole('textbox', { name: 'User name' }).fill('admin')
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await until(page.getByRole('alert'), /^The user name or the password is wrong\.$/)
    await expect.poll(() => page.getByLabel('Password').inputValue()).toBe('')
    await expect.poll(() => page.getByLabel('Password').evaluate((e) => e === document.activeElement)).toBe(true)
  })
})

test('signing in again after a session expired loses no edits', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await p.path.fill('/device/devices')
  await page.context().clearCookies()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'detached' })
  await expect.poll(() => p.path.inputValue()).toBe('/device/devices')
  await p.path.focus()
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
})

test('live updates resume after signing in again', async () => {
  const page = await portal.page({ user: 'operator' })
  await newRequest(page)
  const refused = page.waitForResponse((r) => r.url().endsWith('/explorer/events') && r.status() === 401)
  await page.evaluate(async () => {
    const { user } = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
    await fetch('/api/session', { method: 'DELETE', headers: { 'X-CSRF-Token': user.csrfToken } })
  })
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await refused // the browser stops reconnecting
  const heard = page.waitForResponse((r) => r.url().endsWith('/explorer/events') && r.status() === 200, {
    timeout: 5000,
  })
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await heard
})

test('changing the password keeps this session and ends the others', async () => {
  const elsewhere = await portal.page({ user: 'viewer' })
  const page = await portal.page({ user: 'viewer' })
  const dialog = page.getByRole('dialog', { name: 'Change the password of viewer' })
  const change = async (before: string, now: string, again = now) => {
    await dialog.getByLabel('Current password').fill(before)
    await dialog.getByLabel('New password', { exact: true }).fill(now)
    await dialog.getByLabel('New password again').fill(again)
    await page.keyboard.press('Enter')
  }
  const open = async () => {
    await page.getByRole('button', { name: /viewer/ }).click()
    await page.getByRole('menuitem', { name: 'Change password…' }).click()
  }
  await open()
  await change(password, 'short')
  await until(dialog.getByRole('alert'), /^Type at least 8 characters\.$/)
  await change(password, 'another horse', 'another house')
  await until(dialog.getByRole('alert'), /^The new passwords do not match\.$/)
  await change('wrong horse', 'another horse')
  await until(dialog.getByRole('alert'), /^The current password is wrong\.$/)
  await expect
    .poll(() => dialog.getByLabel('Current password').evaluate((e) => e === document.activeElement))
    .toBe(true)
  expect(await findings(page)).toEqual([])
  await change(password, 'another horse')
  await dialog.waitFor({ state: 'detached' })
  await elsewhere.getByRole('dialog', { name: 'Sign in again' }).waitFor()

  await newRequest(page)
  const p = parts(page)
  await p.path.fill('/device/devices')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  expect(await page.getByRole('dialog', { name: 'Sign in again' }).count()).toBe(0)
  await open()
  await change('another horse', password) // restores the password for other tests
  await dialog.waitFor({ state: 'detached' })
})

test('signing out shows the sign-in page, which refuses too many attempts', async () => {
  const page = await portal.page({ user: 'viewer' })
  await page.getByRole('button', { name: /viewer/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'User name' }).waitFor()

  await step('too many attempts are refused with the time to wait', async () => {
    for (let i = 0; i < 11; i++) {
      await page.getByRole('textbox', { name: 'User name' }).fill('operator')
      await page.getByLabel('Password').fill(`wrong ${i}`)
      const answer = page.waitForResponse('**/api/session')
      await page.keyboard.press('Enter')
      if ((await answer).status() === 429) break
    }
    await until(page.getByRole('alert'), /^Too many attempts\. Try again in (\d+ min)?( ?\d+ s)?\.$/)
    await expect.poll(() => page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true)
  })
})
