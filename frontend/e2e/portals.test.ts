import { createServer, type Server } from 'node:http'
import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { newRequest, parts, portalOfFile, sendPath, suite, tabNames, until } from './harness'
import { password, startPortal } from './portal'
import { portalForm, switcher } from './stub'
import { step } from './story'

const home = suite()
const away = portalOfFile()

const shots = process.env.SPYGLASS_SHOTS
const shot = (page: Page, name: string) =>
  shots ? page.screenshot({ path: `${shots}/portal-${name}.png` }) : undefined
const lock = (page: Page) => page.getByRole('button', { name: 'Read-only lock' })

test('a remote portal is added, signed in to, and has its own tabs, variables and history', async () => {
  const page = await home.page()
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/groups?size=1')

  const form = await portalForm(page, 'Far away', home.url + '/api')
  await form.getByRole('button', { name: 'Add portal' }).click()
  await until(form.getByRole('alert'), /^This is the built-in portal/)
  await form.getByLabel('Address').fill(`${away.url}/api`)
  await form.getByLabel('Environment').selectOption('staging')
  await form.getByRole('button', { name: 'Test connection' }).click()
  await until(form.locator('.result'), /Connected\. Sign in to use it\.\s+\d+ ms/)
  await shot(page, 'form')
  await form.getByRole('button', { name: 'Add portal' }).click()

  const signIn = page.getByRole('dialog', { name: 'Sign in to Far away' })
  await signIn.getByLabel('User name').fill('operator')
  expect(await signIn.getByRole('alert').locator('svg').count()).toBe(0) // no error yet
  await signIn.getByLabel('Password').fill('wrong')
  await signIn.getByRole('button', { name: 'Sign in' }).click()
  await until(signIn.getByRole('alert'), /^Far away does not accept this user name and password\.$/)
  await signIn.getByLabel('Password').fill(password)
  await signIn.getByRole('button', { name: 'Sign in' }).click()
  await signIn.waitFor({ state: 'detached' })
  await page.getByText(`Loaded the API catalog of Far away from ${away.url}/api/openapi.json`).waitFor()
  await until(switcher(page), /Far away\s*Staging.*as operator/)
  await expect.poll(() => page.locator('.app').getAttribute('class')).toContain('staging')
  await until(page.getByRole('contentinfo'), new RegExp(`Connected · ${new URL(away.url).host}`))

  await expect.poll(() => tabNames(page)).toEqual(['GET New request'])
  await sendPath(page, '/session')
  await until(p.response, /operator/)
  await expect.poll(() => tabNames(page)).toEqual(['GET /session'])
  await shot(page, 'remote-dark')

  await switcher(page).click()
  await shot(page, 'menu')
  await page.getByRole('menuitemradio', { name: /Demo/ }).first().click()
  await until(switcher(page), /admin/)
  await expect.poll(() => tabNames(page)).toEqual(['GET /device/groups'])

  await page.keyboard.press('Control+K')
  await p.command.fill('switch to far')
  await page.keyboard.press('Enter')
  await expect.poll(() => tabNames(page)).toEqual(['GET /session'])

  await page.reload()
  await until(switcher(page), /Far away.*as operator/)
  await expect.poll(() => tabNames(page)).toEqual(['GET /session'])

  await signOut(page)
  await sendPath(page, '/session', /^401/)
  await signInAt(page, 'Far away')
  await until(p.status, /^200 OK/)

  await lock(page).click()
  await expect.poll(() => lock(page).getAttribute('aria-pressed')).toBe('false')
  await signOut(page)
  await p.method.selectOption('POST')
  await sendPath(page, '/device/groups', /^401/)
  let sent = 0
  page.on('request', (r) => (sent += Number(r.url().includes('/explorer/send'))))
  await signInAt(page, 'Far away')
  const refused = page.getByTestId('toast').filter({ hasText: 'POST /device/groups was refused before you signed in.' })
  await refused.waitFor()
  expect(sent).toBe(0)
  await shot(page, 'resume')
  await refused.getByRole('button', { name: 'Send it now' }).click()
  await until(p.status, /^201/) // sends the unchanged example body
  expect(sent).toBe(1)
})

async function signOut(page: Page) {
  await switcher(page).click()
  await page.getByRole('menuitem', { name: 'Sign out of Far away' }).click()
  await until(switcher(page), /not signed in/)
}

async function signInAt(page: Page, name: string) {
  const dialog = page.getByRole('dialog', { name: `Sign in to ${name}` })
  await dialog.getByLabel('User name').fill('operator')
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('a remote portal is read-only until it is unlocked, and a wrong token is explained', async () => {
  const page = await home.page({ theme: 'light', width: 1280, height: 800 })
  const form = await portalForm(page, 'By token', `${away.url}/api`)
  await form.getByLabel('Sign-in method').selectOption('token')
  await form.getByLabel('Token').fill('no-such-token')
  await form.getByRole('button', { name: 'Test connection' }).click()
  await until(form.getByRole('alert'), /rejects this credential\.$/)
  await form.getByRole('button', { name: 'Add portal' }).click()
  await form.waitFor({ state: 'detached' })
  await until(switcher(page), /By token\s*Production/)
  await expect.poll(() => lock(page).getAttribute('aria-pressed')).toBe('true')
  await shot(page, 'light-1280')
  await lock(page).click()
  await expect.poll(() => lock(page).getAttribute('aria-pressed')).toBe('false')

  await switcher(page).click()
  await page.getByRole('menuitem', { name: 'Manage portals…' }).click()
  const list = page.getByRole('dialog', { name: 'Portals' })
  await shot(page, 'manage')
  await list.getByRole('button', { name: 'Delete By token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete By token?' })
  await until(dialog, /and its saved credential/)
  await dialog.getByRole('button', { name: 'Delete portal' }).click()
  await expect.poll(() => list.getByRole('button', { name: 'Edit By token' }).count()).toBe(0)
  await until(switcher(page), /admin/)
})

/**
 * Starts a portal that fails: it lists pages until the quota is used up, /circle redirects to itself, and all other
 * paths return 503.
 */
async function failing(at: string): Promise<Server> {
  const server = createServer((request, answer) => {
    const url = new URL(request.url!, at)
    if (url.pathname.endsWith('/circle')) return void answer.writeHead(302, { Location: url.pathname }).end()
    const list = url.pathname.endsWith('/device/groups')
    answer.writeHead(list ? 200 : 503, {
      'Content-Type': 'application/json',
      ...(list && { 'X-Rate-Limit-Limit': '500', 'X-Rate-Limit-Remaining': '0', 'X-Rate-Limit-Window': '3600' }),
    })
    const id = Number(url.searchParams.get('offset') ?? 0)
    answer.end(JSON.stringify(list ? { total: 9, items: [{ id }, { id: id + 1 }] } : { errorMessage: 'out of order' }))
  })
  await new Promise<void>((done) => server.listen(Number(new URL(at).port), '127.0.0.1', done))
  return server
}

test('an unreachable remote portal is shown at the start with its tabs and an error', async () => {
  const page = await home.page()
  const form = await portalForm(page, 'Soon gone', `${away.url}/api`)
  await form.getByRole('button', { name: 'Add portal' }).click()
  await signInAt(page, 'Soon gone')
  await until(switcher(page), /Soon gone/)
  const tabs = await tabNames(page)
  await newRequest(page)
  await parts(page).path.fill('/typed/right/before')
  await away.stop()
  await page.reload()
  await until(switcher(page), /Soon gone/)
  await expect.poll(() => tabNames(page)).toEqual([...tabs, 'GET /typed/right/before'])
  await until(
    page.getByTestId('toast'),
    /^Soon gone is unavailable: .* refused the connection; check that the portal is running\. Its tabs are open\./,
  )
  await until(page.getByRole('contentinfo'), new RegExp(`Disconnected · ${new URL(away.url).host}`))
  await shot(page, 'gone')

  const broken = await failing(away.url)
  const p = parts(page)
  const host = new URL(away.url).host
  try {
    await sendPath(page, '/device/devices', /^503 Service Unavailable/)
    await p.response
      .getByText(
        "The portal failed, not your request. Send it again. If it fails again, contact the portal's administrator.",
      )
      .waitFor()
    await until(page.getByRole('contentinfo'), new RegExp(`Connected · ${host}`))
    // the message about the lost connection has closed
    await expect.poll(async () => (await page.getByTestId('toast').textContent())?.trim()).toBe('')
    await sendPath(page, '/circle', /redirects in a loop/)
    await p.response.getByText('Too many redirects from Soon gone').waitFor()
    await until(page.getByRole('contentinfo'), new RegExp(`Connected · ${host}`)) // a redirect is a response

    await sendPath(page, '/device/groups?size=2', /^200 OK .* 2 items$/)
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitem', { name: 'Fetch all pages', exact: true }).click()
    const run = p.response.getByRole('group', { name: 'Fetching all pages' })
    await run.getByText(/2 items · .* · waiting (\d+ min )?\d+ s for the quota$/).waitFor()
    await shot(page, 'quota')
    await run.getByRole('button', { name: /^Cancel/ }).click()
    await p.response.getByText(/stopped before page 2 of 5/).waitFor()

    await page.setViewportSize({ width: 1024, height: 768 })
    await expect
      .poll(() =>
        switcher(page)
          .locator('.b')
          .evaluate((e) => [e.textContent, e.scrollWidth <= e.clientWidth]),
      )
      .toEqual(['Soon gone', true])
  } finally {
    broken.closeAllConnections()
    broken.close()
  }
})

test('a portal is added by its host name, and its dialog stays open during the test', async () => {
  const page = await home.page({ fresh: true })
  await step('the dialog of a portal stays open during a test, and expands the section with an error', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Command' }).fill('add portal')
    await page
      .getByRole('option', { name: /Add portal/i })
      .first()
      .click()
    const form = page.getByRole('dialog', { name: 'Add portal' })
    await form.getByLabel('Name', { exact: true }).fill('Nowhere')
    await form.getByLabel('Address').fill('http://127.0.0.1:9/api')
    const timeout = form.getByLabel('Timeout')
    await form.getByText('Connection', { exact: true }).click()
    await timeout.fill('2')
    await form.getByRole('button', { name: 'Test connection' }).click()
    await form.getByRole('alert').waitFor()
    expect(await timeout.isVisible()).toBe(true)
    await timeout.fill('9999')
    await form.getByText('Connection', { exact: true }).click()
    await expect.poll(() => timeout.isVisible()).toBe(false)
    await form.getByRole('button', { name: 'Add portal' }).click()
    await expect.poll(() => timeout.evaluate((e) => e === document.activeElement)).toBe(true)
    await until(form.getByRole('alert'), /^Type 1 to 3600 seconds/)
    await form.getByRole('button', { name: 'Cancel' }).click()
    await form.waitFor({ state: 'detached' })
  })

  await step('an address without a path is completed when the portal is added', async () => {
    const other = await startPortal(false)
    try {
      const form = await portalForm(page, 'By its host', other.url)
      await form.getByRole('button', { name: 'Add portal' }).click()
      const signIn = page.getByRole('dialog', { name: 'Sign in to By its host' })
      await signIn.getByText(`${other.url}/api`).waitFor()
    } finally {
      await other.stop()
    }
  })
})
