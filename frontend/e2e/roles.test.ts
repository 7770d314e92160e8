import { expect, test } from 'vitest'
import { findings } from './findings'
import { newRequest, parts, raw, sendPath, suite, until } from './harness'
import { small } from './states'
import { step } from './story'

const portal = suite()

/** Sends a request with the token, as a program does, and returns the status. */
async function asProgram(token: string, path: string, method = 'GET'): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const body = method === 'GET' ? undefined : '{}'
  return (await fetch(`${portal.url}/api${path}`, { method, headers, body })).status
}

test('a token for a request is limited to it, is not in the history, and can be revoked', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=1')
  // The keyboard alone creates, copies and revokes a token. The focus moves to the next control.
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent)
  await p.response.getByRole('tab', { name: 'Snippets' }).press('Enter')
  await p.response.getByRole('button', { name: 'Create a token' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Token for this request' })
  await dialog.getByText('Creates the role “token: read on deviceGroup”.').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('weekly numbers')
  await dialog.getByRole('combobox', { name: 'Expires after' }).selectOption({ label: '1 day' })
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')
  await dialog.getByText(/The token has the new role “token: read on deviceGroup”/).waitFor()
  await expect.poll(focused).toBe('Copy for shell')
  const shell = await page.evaluate(() => navigator.clipboard.readText())
  const [, token] = /^export SPYGLASS_TOKEN='([\w-]{40,})'$/.exec(shell)!
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`$env:SPYGLASS_TOKEN = '${token}'`)
  expect(await page.content()).not.toContain(token)

  expect(await asProgram(token, '/device/devices?size=1')).toBe(200)
  expect(await asProgram(token, '/device/devices', 'POST')).toBe(403)
  expect(await asProgram(token, '/setting/admins')).toBe(403)
  expect(await asProgram(token, '/report/reports')).toBe(403)
  const headers = { Authorization: `Bearer ${token}` }
  expect((await fetch(`${portal.url}/explorer/history`, { headers })).status).toBe(403)
  const history = await page.request.get(`${portal.url}/explorer/history?size=1000`)
  expect(await history.text()).not.toContain(token)
  const tokens = await page.request.get(`${portal.url}/api/setting/admins/apitokens?filter=note:"weekly numbers"`)
  const [row] = ((await tokens.json()) as { items: { expiresOn: number; createdOn: number }[] }).items
  expect(Math.round((row.expiresOn - row.createdOn) / 60)).toBe(24 * 60)

  await dialog.getByRole('button', { name: 'Revoke weekly numbers' }).press('Enter')
  await until(page.getByTestId('toast'), /Revoked weekly numbers/)
  expect(await asProgram(token, '/device/devices?size=1')).toBe(401)

  // The next token for such a request reuses the role.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(focused).toBe('Create a token')
  await page.keyboard.press('Enter')
  await dialog.getByText('Uses the role “token: read on deviceGroup”.').waitFor()
})

test('an administrator compares a response with that of another role', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  const start = await (await page.request.get(`${portal.url}/explorer/start`)).json()
  const headers = { 'X-CSRF-Token': (start as { user: { csrfToken: string } }).user.csrfToken }
  const groups = await (await page.request.get(`${portal.url}/api/device/groups?filter=name:"Network"`)).json()
  const objectId = String((groups as { items: { id: number }[] }).items[0].id)
  const data = { name: 'network only', privileges: [{ objectType: 'deviceGroup', objectId, operation: 'read' }] }
  expect((await page.request.post(`${portal.url}/api/setting/roles`, { headers, data })).status()).toBe(201)

  const asRole = async () => {
    await p.response.getByRole('button', { name: 'Compare' }).press('Enter')
    await page.getByRole('menuitem', { name: 'As role network only' }).press('Enter')
  }
  await newRequest(page)
  await sendPath(page, '/device/devices?size=200&sort=id&fields=id,displayName')
  await asRole()
  const differences = p.response.getByRole('listbox', { name: 'Differences' })
  await differences
    .getByRole('option', { name: /removed/ })
    .first()
    .waitFor()
  await p.response.getByText('as role network only').waitFor()
  await expect.poll(() => differences.evaluate((e) => e === document.activeElement)).toBe(true)
  expect(await p.response.getByRole('button', { name: /^0 added/ }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')

  await sendPath(page, '/setting/roles?size=1')
  await asRole()
  await until(page.getByTestId('toast'), /Role network only gets 403: .*read on settings: useraccess/)
  const log = await page.request.get(`${portal.url}/api/setting/accesslogs?filter=action:"preview"`)
  expect(await log.text()).toContain('Viewed /setting/roles as the role network only')
  const history = await page.request.get(`${portal.url}/explorer/history?size=100`)
  expect(((await history.json()) as { total: number }).total).toBe(2)
})

test('missing permissions disable actions in the Explorer and are explained', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await step('the palette names the permission that an action needs', async () => {
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('maintain web-prod-03.osl 1h')
    const plan = p.palette.getByRole('group', { name: 'Do' }).getByRole('option', { disabled: true }).first()
    await until(plan, /Plan maintenance of web-prod-03\.osl.*needs Edit access/)
    await page.keyboard.press('Enter')
    await p.palette.waitFor()
    await page.keyboard.press('Escape')
  })

  await step('a write names the missing permission', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups/2')
    await p.method.focus()
    await p.method.selectOption('PATCH')
    await raw(page, '{"description": "never"}')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^403/)
    await p.response.getByText(/^You need .+ access to .+\. An administrator can grant it/).waitFor()
  })

  await step('a missing permission to create tokens is explained', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=1')
    await p.response.getByRole('tab', { name: 'Snippets' }).click()
    const make = p.response.getByRole('button', { name: 'Create a token' })
    expect(await make.isDisabled()).toBe(true)
    expect(await make.getAttribute('title')).toContain('readonly')
  })

  await step('only administrators can view as another role', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=1')
    await p.response.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('menuitem', { name: /^Previous response/ }).waitFor()
    expect(await page.getByRole('menuitem', { name: /^As role/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
  })

  await step('only administrators can back up', async () => {
    const data = page.getByRole('dialog', { name: 'Settings' })
    await page.keyboard.press('Control+,')
    await data.getByRole('tab', { name: 'Data', exact: true }).click()
    await data.getByText('Only an administrator can back up').waitFor()
    await expect.poll(() => data.getByRole('button', { name: 'Back up…' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await data.waitFor({ state: 'hidden' })
  })
})

test('missing permissions disable actions in the Monitor and are explained', async () => {
  const page = await portal.page({ fresh: true, user: 'viewer' })
  const screen = async (name: string) => {
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
    await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name }).click()
  }
  const link = (to: string) => page.evaluate((hash) => void (location.hash = hash), `monitor/${to}`)
  await step('devices, alerts and the demo', async () => {
    await screen('Fleet')
    const grid = page.getByRole('grid', { name: 'Devices' })
    await grid.locator('.object').first().waitFor()
    await grid.getByRole('row').nth(1).click()
    await page.keyboard.press('Space')
    const held = async (name: RegExp, right = 'write') => {
      const button = page.getByRole('button', { name }).first()
      await expect.poll(() => button.isDisabled()).toBe(true)
      expect(await button.getAttribute('title')).toBe(
        `Your role, readonly, needs ${{ ack: 'Ack', write: 'Edit' }[right]} access to devices.`,
      )
    }
    for (const name of [/^Turn alerting off/, /^Add device/]) await held(name)
    await page.keyboard.press('Enter')
    for (const name of [/^Maintenance/, /^More/]) await held(name)
    await page.getByRole('tab', { name: 'Properties' }).click()
    await held(/^Add property/)
    await screen('Alerts')
    await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(1).click()
    for (const name of [/^Ack/, /^Add a note/]) await held(name, 'ack')
    // The navigation hides screens without view permission. A link to such a screen names the permission.
    const names = await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button').allInnerTexts()
    expect(names).toEqual(['Overview', 'Fleet', 'Alerts', 'Map', 'DataSources', 'Reports'])
    await link('demo')
    await page.getByText('You need View access to the demo').waitFor()
  })

  await step('the settings of the portal', async () => {
    const refused: string[] = []
    page.on('response', (r) => {
      if (r.status() === 403) refused.push(r.url())
    })
    await link('settings')
    const nav = page.getByRole('navigation', { name: 'Portal settings' })
    await page
      .getByText(/^Your role, readonly, needs|View access/)
      .or(page.getByRole('grid'))
      .first()
      .waitFor()
    // sections without view permission are hidden
    expect(await nav.getByRole('button', { name: /^(Users|Remote write)$/ }).count()).toBe(0)
    const jump = async (section: string) => {
      await page.keyboard.press('Control+K')
      await page.keyboard.insertText(section)
      await page.getByRole('group', { name: 'Portal settings' }).getByRole('option', { name: section }).first().click()
    }
    await jump('Users')
    await page.getByText('You need View access to users').waitFor()
    await page.getByText('Your role, readonly, needs View access to users, roles and API tokens.').waitFor()
    await jump('Remote write')
    await page.getByText('Remote write: you need View access').waitFor()
    expect({ small: await small(page), axe: await findings(page), refused }).toEqual({
      small: [],
      axe: [],
      refused: [],
    })
  })

  await step('reports', async () => {
    await screen('Reports')
    const list = page.getByRole('grid', { name: 'Reports' })
    await list.getByRole('row', { name: /Alerts of the week/ }).focus()
    await page.keyboard.press('Enter')
    const report = page.getByRole('region', { name: 'Alerts of the week' })
    await until(report, /You need Edit access to run this report/)
    await expect.poll(() => report.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true)
    await expect.poll(() => page.getByRole('button', { name: 'Add report' }).isDisabled()).toBe(true)
    expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('row')
  })

  await step('data sources', async () => {
    await screen('DataSources')
    await page.getByRole('grid', { name: 'DataSources' }).getByRole('row', { name: /Ping/ }).click()
    await page.getByRole('table', { name: 'Data points' }).waitFor()
    await page
      .getByText(/needs .* access to/)
      .first()
      .waitFor()
    await until(
      page.getByRole('row', { name: /PingLossPercent/ }),
      /Warning\s*>\s*10\s*Error\s*>\s*40\s*Critical\s*>\s*90/,
    )
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(false)
    await expect.poll(() => page.getByRole('textbox', { name: /limit of/ }).count()).toBe(0)
  })

  await step('a device on the map and the story of an alert open by their addresses', async () => {
    const panel = page.getByRole('region', { name: 'Selected device' })
    await page.goto('about:blank')
    await page.goto(`${portal.url}/#monitor/map/1`)
    await panel.getByRole('heading', { level: 2 }).waitFor()
    await page.goto('about:blank')
    await page.goto(`${portal.url}/#monitor/map/999999`)
    await panel.getByText(/^Could not load the details/).waitFor()
    await page.goto('about:blank')
    await page.goto(`${portal.url}/#monitor/story/1`)
    const story = page.getByRole('region', { name: 'Story', exact: true })
    await story.getByText('You need View access to Audit log to see configuration changes.').waitFor()
    await page.goto('about:blank')
    await page.goto(`${portal.url}/#monitor/story/999999`)
    await story.getByText('This alert no longer exists').waitFor()
  })
})
