import { createHmac } from 'node:crypto'
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

/** Returns the code that an authenticator app shows for a secret in base32 (RFC 6238). */
function codeOf(secret: string): string {
  const bits = [...secret]
    .map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map((b) => parseInt(b, 2)))
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const sum = createHmac('sha1', key).update(step).digest()
  return String((sum.readUInt32BE(sum[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

test('a new user chooses a password, sets up a second factor, and signs in with it', async () => {
  const page = await portal.page({ signedOut: true })
  await page.evaluate(async (password) => {
    const post = async (path: string, csrf: string, body: unknown, method = 'POST') =>
      (
        await fetch(`/api${path}`, {
          method,
          headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf },
          body: method === 'DELETE' ? undefined : JSON.stringify(body),
        })
      ).json()
    const { csrfToken } = (await post('/session', '', { username: 'admin', password })) as { csrfToken: string }
    await post('/setting/admins', csrfToken, {
      username: 'kim',
      password,
      email: 'kim@example.net',
      roles: [{ name: 'readonly' }],
      forcePasswordChange: true,
      twoFAEnabled: true,
    })
    await post('/session', csrfToken, {}, 'DELETE')
  }, password)
  const name = page.getByRole('textbox', { name: 'User name' })
  const code = page.getByRole('textbox', { name: 'Code that the app shows' })
  const main = page.getByRole('group', { name: 'View' })
  let secret = ''
  let recovery: string[] = []

  await step('the password must change first', async () => {
    await name.fill('kim')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByLabel('New password', { exact: true }).fill('another horse')
    await page.getByLabel('New password again').fill('another house')
    await page.keyboard.press('Enter')
    await until(page.getByRole('alert'), /^The new passwords do not match\.$/)
    expect(await findings(page)).toEqual([])
    await page.getByLabel('New password again').fill('another horse')
    await page.keyboard.press('Enter')
  })

  await step('a second factor must be set up, with a QR code or a secret', async () => {
    await code.waitFor()
    await expect.poll(() => code.evaluate((e) => e === document.activeElement)).toBe(true)
    const drawn = page.getByRole('img', { name: 'QR code for the authenticator app' })
    expect(await drawn.evaluate((e) => (e as HTMLImageElement).naturalWidth)).toBeGreaterThan(100)
    secret = (await page.locator('code.secret').innerText()).replace(/ /g, '')
    await code.fill('1')
    await page.keyboard.press('Enter')
    await until(page.getByRole('alert'), /^The code is wrong\./)
    expect(await findings(page)).toEqual([])
    await code.fill(codeOf(secret))
    await page.keyboard.press('Enter')
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await expect.poll(() => codes.count()).toBe(10)
    recovery = await codes.allInnerTexts()
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    await main.waitFor()
  })

  await step('signing in again requires a code after the password', async () => {
    await page.getByRole('button', { name: /kim/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await name.fill('kim')
    await page.getByLabel('Password').fill('another horse')
    await page.keyboard.press('Enter')
    const second = page.getByRole('textbox', { name: 'Code of your authenticator app' })
    await second.waitFor()
    await expect.poll(() => second.evaluate((e) => e === document.activeElement)).toBe(true)
    expect(await second.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await name.isVisible()).toBe(false)
    expect(await findings(page)).toEqual([])
    await second.fill('000000')
    await page.keyboard.press('Enter')
    await until(page.getByRole('alert'), /^The code is wrong or was used already\. Type the next one\.$/)
    await second.fill(recovery[0])
    await page.keyboard.press('Enter')
    await main.waitFor()
  })

  await step('the menu shows the second factor, and replaces it only with a code', async () => {
    await page.getByRole('button', { name: /kim/ }).click()
    await page.getByRole('menuitem', { name: 'Two-factor authentication…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Two-factor authentication of kim' })
    await dialog.getByText('9 of 10 recovery codes are left').waitFor()
    await dialog.getByLabel('Current password').fill('another horse')
    await page.keyboard.press('Enter')
    await until(dialog.getByRole('alert'), /^Type a code\.$/)
    await dialog.getByLabel('Code of your current app').fill(recovery[1])
    await page.keyboard.press('Enter')
    await dialog.getByRole('img', { name: 'QR code' }).waitFor()
    expect(await findings(page)).toEqual([])
    await code.fill(codeOf((await dialog.locator('code.secret').innerText()).replace(/ /g, '')))
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(await page.getByRole('dialog', { name: 'Sign in again' }).count()).toBe(0)
  })
})
