import { expect, test } from 'vitest'
import { findings } from './findings'
import { hold, suite } from './harness'

const portal = suite({ demo: false })

test.each(['dark', 'light'] as const)('an empty portal shows the next step, %s', async (theme) => {
  const page = await portal.page({ fresh: true, theme, bypassCSP: true })
  await page.getByRole('main', { name: 'Welcome' }).getByRole('button', { name: 'Monitor' }).click()
  const main = page.getByRole('main', { name: 'Monitor' })
  const go = (name: string) => page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name }).click()

  await main.getByText('No devices yet').waitFor()
  expect(await findings(page)).toEqual([])
  await go('Alerts')
  await main.getByText('No devices yet').waitFor()
  await main.getByRole('button', { name: 'Add device' }).click()
  const adding = page.getByRole('dialog', { name: 'Add device' })
  await adding.waitFor()
  await page.keyboard.press('Escape')
  await adding.waitFor({ state: 'detached' })
  await go('Overview')
  await main.getByText('No devices yet').waitFor()
  await go('Fleet')
  await main.getByText('No devices here yet').waitFor()
  await expect.poll(() => adding.count()).toBe(0) // the dialog does not open again
  await go('Reports')
  await main.getByText('No reports yet').waitFor()

  await go('Settings')
  const settings = main.getByRole('navigation')
  for (const [name, title, action] of [
    ['API tokens', 'No API tokens yet', 'Add API token'],
    ['Alert rules', 'No alert rules yet', 'Add alert rule'],
    ['Delivery log', 'No notifications yet', ''],
  ]) {
    await settings.getByRole('button', { name }).click()
    await main.getByText(title).waitFor()
    await expect.poll(() => main.locator('.empty').getByRole('button').allInnerTexts()).toEqual(action ? [action] : [])
  }
  await settings.getByRole('button', { name: 'API tokens' }).click()
  await main.locator('.empty').getByRole('button', { name: 'Add API token' }).click()
  await main.getByRole('button', { name: 'Create token' }).waitFor()
})

test('a list that fails to load shows an error and is retried', async () => {
  const page = await portal.page({ fresh: true })
  await page.getByRole('main', { name: 'Welcome' }).getByRole('button', { name: 'Monitor' }).click()
  const main = page.getByRole('main', { name: 'Monitor' })
  await main.getByText('No devices yet').waitFor()
  await page.route('**/api/**', (route) => route.abort())
  for (const [screen, grid] of [
    ['Fleet', 'Devices'],
    ['Alerts', 'Alerts'],
    ['Overview', 'Active alerts'],
  ]) {
    await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: screen }).click()
    await main.getByRole('grid', { name: grid }).getByText('not responding').waitFor()
  }
  await page.unroute('**/api/**')
  await main.getByRole('grid', { name: 'Active alerts' }).getByRole('button', { name: 'Try again' }).click()
  await main.getByText('No devices yet').waitFor()
})

test('a skeleton is shown while a list loads for the first time', async () => {
  const page = await portal.page({ fresh: true })
  const list = await hold(page, /\/device\/devices\?/)
  await page.getByRole('main', { name: 'Welcome' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Fleet' }).click()
  const grid = page.getByRole('grid', { name: 'Devices' })
  await grid.locator('.sk').first().waitFor()
  expect(await grid.getAttribute('aria-busy')).toBe('true')
  list.release()
  await page.getByText('No devices here yet').waitFor()
  await expect.poll(() => grid.locator('.sk').count()).toBe(0)
  expect(await grid.getAttribute('aria-busy')).toBe('false')
})

test('a device without data is not shown as healthy', async () => {
  const page = await portal.page({ fresh: true })
  const send = (method: string, path: string, body?: object) =>
    page.evaluate(
      async ([method, path, body]) => {
        const token =
          (await fetch('/api/session', { headers: { 'X-CSRF-Token': 'Fetch' } })).headers.get('X-CSRF-Token') ?? ''
        return (
          await fetch(`/api${path}`, {
            method,
            headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token },
            body,
          })
        ).json() as Promise<{ id: number }>
      },
      [method, path, body && JSON.stringify(body)] as [string, string, string | undefined],
    )
  const attic = await send('POST', '/device/groups', { name: 'Attic' })
  const { id } = await send('POST', '/device/devices', {
    name: '192.0.2.1',
    displayName: 'nobody',
    hostGroupIds: String(attic.id),
    preferredCollectorId: 1,
  })
  try {
    await page.getByRole('main', { name: 'Welcome' }).getByRole('button', { name: 'Monitor' }).click()
    await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Fleet' }).click()
    await page
      .getByRole('grid', { name: 'Devices' })
      .getByRole('row', { name: /No data yet nobody/ })
      .getByRole('button', { name: 'nobody' })
      .click()
    await page.getByRole('region', { name: 'nobody' }).getByText('No data yet', { exact: true }).waitFor()
    expect(await page.getByText('OK', { exact: true }).count()).toBe(0)
    await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Overview' }).click()
    const cells = page.getByRole('group', { name: /^Attic: 1 device, .* 0 not responding, 1 without data$/ })
    await cells.focus()
    await page.keyboard.press('ArrowRight')
    await cells.getByText('nobody, without data').first().waitFor()
    // A device without a group has a cell, too.
    await send('PATCH', `/device/devices/${id}`, { hostGroupIds: '1' })
    const loose = page.getByRole('group', { name: /^In no group: 1 device, / })
    await loose.focus()
    await page.keyboard.press('ArrowRight')
    await loose.getByText('nobody, without data').first().waitFor()
  } finally {
    await send('DELETE', `/device/devices/${id}?deleteHard=true`)
    await send('DELETE', `/device/groups/${attic.id}`)
  }
})
