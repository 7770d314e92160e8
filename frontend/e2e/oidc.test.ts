import { request, type APIRequestContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { newRequest, parts, signIn, suite, until } from './harness'
import { password } from './portal'
import { client, startProvider, type Member, type RunningProvider } from './provider'
import { step } from './story'

const portal = suite({ demo: false })
const members: Record<string, Member> = {
  'u-1': { name: 'jo', groups: [] },
  'u-2': { name: 'lee', groups: ['staff'] },
}
let known = '' // the address of the portal that the provider sends users back to
let provider: RunningProvider
let admin: APIRequestContext

beforeAll(() => {
  vi.spyOn(console, 'warn').mockReturnValue() // the provider warns that it is not set up for production
  vi.spyOn(console, 'info').mockReturnValue()
})
beforeEach(async () => {
  if (known !== portal.url) await begin()
  members['u-1'].groups = ['staff', 'netops']
  provider.sendBack = (to) => to
  await configure(provider)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await end()
})

/** Starts a provider for the portal, which is a new one in a second attempt. */
async function begin() {
  await end()
  known = portal.url
  admin = await request.newContext({ baseURL: known })
  await admin.post('/api/session', { data: { username: 'admin', password } })
  provider = await startProvider(known, members)
}

async function end() {
  provider?.stop()
  await admin?.dispose()
}

/** Sets up signing in with a provider. */
async function configure({ issuer }: RunningProvider) {
  const settings = { enabled: true, name: 'Acme', issuer, ...client, scopes: 'profile email groups' }
  const groupRoles = [
    { group: 'netops', role: 'readonly' },
    { group: 'chiefs', role: 'administrator' },
  ]
  const data = { ...settings, groupRoles, createUsers: true }
  const saved = await admin.patch('/api/setting/signin', { headers: await writing(admin), data })
  expect(saved.status(), await saved.text()).toBe(200)
}

/** Returns the headers for writes of the signed-in user. */
async function writing(user: APIRequestContext) {
  const session = await user.get(`${portal.url}/api/session`)
  return { 'X-CSRF-Token': ((await session.json()) as { csrfToken: string }).csrfToken }
}

/** Opens the sign-in page, which has the provider's button. */
async function signInPage(): Promise<Page> {
  const page = await portal.page({ signedOut: true })
  await page.route('https://**', (route) => route.abort()) // fonts of the provider's pages
  await button(page).waitFor()
  return page
}

const button = (page: Page) => page.getByRole('link', { name: 'Sign in with Acme' })
const note = (page: Page) => page.locator('p').first()
/** Returns the button of the portals, which names the user. */
const signedInAs = (page: Page, name: string) => page.getByRole('banner').getByRole('button', { name: `· ${name}` })
const addDevice = (page: Page) => page.getByRole('button', { name: /^Add device/ }).first()

/** Signs in at the provider, until the browser returns to the portal. */
async function signInAtProvider(page: Page, id: string) {
  await button(page).click()
  await page.getByRole('textbox', { name: 'Enter any login' }).fill(id)
  await page.getByRole('textbox', { name: 'and password' }).fill('secret')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('a provider signs a user in, and their groups decide on the role', async () => {
  const page = await signInPage()
  await step('the user gets the link that they opened, and the role of their group', async () => {
    await page.goto(`${portal.url}/#monitor/fleet`)
    await signInAtProvider(page, 'u-1')
    await signedInAs(page, 'jo').waitFor()
    await page.getByText('No devices here yet').waitFor()
    await expect.poll(() => page.url()).toBe(`${portal.url}/`) // without the code
    await expect.poll(() => addDevice(page).isDisabled()).toBe(true)
    expect(await addDevice(page).getAttribute('title')).toBe('Your role, readonly, needs Edit access to devices.')
    const written = await page.request.post(`${portal.url}/api/device/groups`, {
      headers: await writing(page.request),
      data: { name: 'never' },
    })
    expect(written.status()).toBe(403)
  })

  await step('signing out ends the session of the portal, not that of the provider', async () => {
    await signedInAs(page, 'jo').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await button(page).waitFor()
    expect((await page.request.get(`${portal.url}/api/session`)).status()).toBe(401)
  })

  await step('the next sign-in renews the role, without a form of the provider', async () => {
    members['u-1'].groups = ['staff', 'chiefs']
    await page.goto(`${portal.url}/#monitor/fleet`)
    await button(page).click()
    await signedInAs(page, 'jo').waitFor()
    await expect.poll(() => addDevice(page).isEnabled()).toBe(true)
  })

  await step('signing in again after the session expired loses no edits', async () => {
    const { path, status } = parts(page)
    await newRequest(page)
    await path.fill('/device/devices')
    await page.context().clearCookies({ domain: new URL(portal.url).hostname })
    await page.keyboard.press('Control+Enter')
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByRole('link', { name: 'Sign in with Acme' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await path.inputValue()).toBe('/device/devices')
    await path.focus()
    await page.keyboard.press('Control+Enter')
    await until(status, /^200 OK/)
  })
})

test('a user in none of the groups, or who cancels, reads why', async () => {
  const page = await signInPage()
  await button(page).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await until(note(page), /^Acme refused the sign-in: "End-User aborted interaction"\.$/)
  await page.getByRole('link', { name: 'Go to Spyglass' }).click()

  await signInAtProvider(page, 'u-2')
  await until(note(page), /^You are in none of the groups that may sign in; ask an administrator of this portal\.$/)
  await page.getByRole('link', { name: 'Go to Spyglass' }).click()
  await button(page).waitFor()
})

test('a response of the provider to another browser, or with another state, is refused', async () => {
  const refused = /^This sign-in was not begun in this browser, or more than 10 minutes ago; begin again\.$/
  const [page, victim] = [await signInPage(), await signInPage()]
  let callback = ''
  await step('another state', async () => {
    provider.sendBack = (to) => {
      callback = to
      return to.replace(/state=\w+/, `state=${'A'.repeat(26)}`)
    }
    await signInAtProvider(page, 'u-1')
    await until(note(page), refused)
    expect(page.url()).toContain(`/oidc/callback?`)
  })

  await step('the right state after another one', async () => {
    await page.goto(callback)
    await until(note(page), refused)
    await page.getByRole('link', { name: 'Go to Spyglass' }).click()
  })

  await step('another browser', async () => {
    provider.sendBack = (to) => {
      callback = to
      return `${portal.url}/elsewhere`
    }
    await button(page).click()
    await page.waitForURL('**/elsewhere')
    await victim.goto(callback)
    await until(note(victim), refused)
    await page.goto(callback) // is right in this browser
    await signedInAs(page, 'jo').waitFor()
  })
})

test('while the provider is down, passwords keep working', async () => {
  const other = await startProvider(portal.url, members)
  await configure(other)
  const page = await signInPage()
  await step('down after the consent', async () => {
    other.sendBack = (to) => {
      other.stop()
      return to
    }
    await signInAtProvider(page, 'u-1')
    await until(note(page), /^Acme does not respond; try again later, or sign in with a password\.$/)
    await page.getByRole('link', { name: 'Go to Spyglass' }).click()
  })

  await step('down before the sign-in', async () => {
    const down = await startProvider(portal.url, members)
    down.stop()
    await configure(down)
    await button(page).click()
    await until(
      note(page),
      /^Acme does not respond as an OpenID Connect provider; try again later, or sign in with a password\.$/,
    )
    await page.getByRole('link', { name: 'Go to Spyglass' }).click()
    await button(page).waitFor()
    await signIn(page)
  })
})
