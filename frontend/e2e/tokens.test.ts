import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'

const portal = suite()

/** Sends a request as a program with the token. */
async function asProgram(token: string, path: string, method = 'GET'): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const body = method === 'GET' ? undefined : '{}'
  return (await fetch(`${portal.url}/api${path}`, { method, headers, body })).status
}

test('a token for a request can do no more than that, is in no history, and is revoked where it was made', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=1')
  await p.response.getByRole('tab', { name: 'Snippets' }).click()
  await p.response.getByRole('button', { name: 'Create a token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Token for this request' })
  await dialog.getByText('Creates the role “token: read on deviceGroup”.').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('weekly numbers')
  await dialog.getByRole('combobox', { name: 'Expires after' }).selectOption({ label: '1 day' })
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  await dialog.getByText(/The token has the new role “token: read on deviceGroup”/).waitFor()
  const shell = await page.evaluate(() => navigator.clipboard.readText())
  const [, token] = /^export SPYGLASS_TOKEN='([\w-]{40,})'$/.exec(shell)!
  await dialog.getByRole('button', { name: 'Copy for PowerShell' }).click()
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

  await dialog.getByRole('button', { name: 'Revoke weekly numbers' }).click()
  await until(page.getByTestId('toast'), /Revoked weekly numbers/)
  expect(await asProgram(token, '/device/devices?size=1')).toBe(401)

  // The role fits the next request of that kind, too.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await p.response.getByRole('button', { name: 'Create a token' }).click()
  await dialog.getByText('Uses the role “token: read on deviceGroup”.').waitFor()
})

test('who may not create tokens is told why', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=1')
  await p.response.getByRole('tab', { name: 'Snippets' }).click()
  const make = p.response.getByRole('button', { name: 'Create a token' })
  expect(await make.isDisabled()).toBe(true)
  expect(await make.getAttribute('title')).toContain('readonly')
})
