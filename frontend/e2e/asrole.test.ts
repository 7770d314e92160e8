import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'

const portal = suite()

test('an administrator compares a response with what another role sees, and is told what it is refused', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  const start = await (await page.request.get(`${portal.url}/explorer/start`)).json()
  const headers = { 'X-CSRF-Token': (start as { user: { csrfToken: string } }).user.csrfToken }
  const groups = await (await page.request.get(`${portal.url}/api/device/groups?filter=name:"Network"`)).json()
  const objectId = String((groups as { items: { id: number }[] }).items[0].id)
  const data = { name: 'network only', privileges: [{ objectType: 'deviceGroup', objectId, operation: 'read' }] }
  expect((await page.request.post(`${portal.url}/api/setting/roles`, { headers, data })).status()).toBe(201)

  const asRole = async () => {
    await p.response.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('menuitem', { name: 'As role network only' }).click()
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

test('who is no administrator is not offered other roles', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=1')
  await p.response.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('menuitem', { name: /^Previous response/ }).waitFor()
  expect(await page.getByRole('menuitem', { name: /^As role/ }).count()).toBe(0)
})
