import { expect, test } from 'vitest'
import { newRequest, parts, portalOfFile, raw, suite, until } from './harness'
import { password } from './portal'
import { portalForm, switcher } from './stub'

const home = suite({ demo: false })
const away = portalOfFile({ demo: false })

/** Adds a group with a secret to the other portal. */
async function furnish() {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ username: 'admin', password })
  const signedIn = await fetch(`${away.url}/api/session`, { method: 'POST', headers, body })
  const { csrfToken } = (await signedIn.json()) as { csrfToken: string }
  const cookie = signedIn.headers.getSetCookie()[0].split(';')[0]
  const made = await fetch(`${away.url}/api/device/groups`, {
    method: 'POST',
    headers: { ...headers, 'X-CSRF-Token': csrfToken, Cookie: cookie },
    body: '{"name":"Web","customProperties":[{"name":"snmp.community","value":"c0mmun1ty"}]}',
  })
  expect(made.status).toBe(201)
}

test('a portal is copied, changed in the copy, and the changes become a script', async () => {
  await furnish()
  const page = await home.page({ fresh: true })
  const p = parts(page)
  const shots = process.env.SPYGLASS_SHOTS
  const shot = (name: string) => (shots ? page.screenshot({ path: `${shots}/rehearse-${name}.png` }) : undefined)
  await newRequest(page)
  const form = await portalForm(page, 'Far away', `${away.url}/api`)
  await form.getByRole('button', { name: 'Add portal' }).click()
  const signIn = page.getByRole('dialog', { name: 'Sign in to Far away' })
  await signIn.getByLabel('User name').fill('admin')
  await signIn.getByLabel('Password').fill(password)
  await signIn.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(/Loaded the API catalog of Far away/).waitFor()

  await page.keyboard.press('Control+k')
  await page.keyboard.insertText('rehearse')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Rehearse changes of Far away' })
  await dialog.getByRole('row', { name: 'device groups 2' }).waitFor()
  await shot('plan')
  await dialog.getByRole('button', { name: 'Copy portal' }).click()
  await dialog.getByRole('tab', { name: 'What differs' }).click()
  await shot('report')
  await dialog.getByLabel('Filter').fill('web community')
  expect(await dialog.getByRole('row').allTextContents()).toEqual([
    expect.stringMatching('Reason'),
    expect.stringMatching(/Secret\s*device group Web\s*customProperties snmp.community/),
  ])

  await dialog.getByRole('button', { name: 'Open the copy' }).click()
  await until(switcher(page), /Rehearsal of Far away/)
  await newRequest(page)
  await p.method.selectOption('POST')
  await p.path.fill('/device/groups')
  await p.path.blur()
  await raw(page, '{"name":"Staging"}')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^201/)

  await switcher(page).click()
  await page.getByRole('menuitem', { name: 'Rehearse changes…' }).click()
  await dialog.getByRole('button', { name: 'Compare with Far away' }).click()
  const requests = dialog.getByRole('list', { name: 'Requests' })
  await requests.getByText('device group Staging').waitFor()
  await shot('changes')
  await dialog.getByRole('button', { name: 'Export as script…' }).click()
  const script = page.getByRole('dialog', { name: '1 request as a script' })
  await script.getByText('Python', { exact: true }).click()
  await script.getByRole('group', { name: 'Script' }).getByText('Staging').first().waitFor()
  await shot('script')
  await script.getByRole('button', { name: 'Close' }).click()

  await dialog.getByRole('button', { name: 'Delete copy…' }).click()
  await page.getByRole('button', { name: 'Delete copy', exact: true }).click()
  await until(switcher(page), /^(?!.*Rehearsal)/) // the copy is no longer in the list
  await dialog.getByRole('button', { name: 'Copy portal' }).waitFor()
})
