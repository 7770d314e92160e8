import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Link } from '../src/client'
import { newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('an external link opens a screen, a device, an unsent request, or an error', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  const sent: string[] = []
  page.on('request', (r) => {
    if (/\/explorer\/(send|pages|batch|changes|goes)/.test(r.url())) sent.push(r.url())
  })
  let link: Link = {}
  await page.route('**/explorer/events', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 100000\n\nevent: link\ndata: ${JSON.stringify(link)}\n\n`,
    }),
  )
  /** Reloads the page, which then gets the event of a link that the desktop opened. */
  const told = async (one: Link) => {
    link = one
    await page.reload()
  }
  await told({ problem: '“<img src=x onerror=alert(1)>” cannot be opened: links begin with spyglass://' })
  await until(page.getByTestId('toast'), /“<img src=x onerror=alert\(1\)>” cannot be opened/)
  await page.getByRole('main', { name: 'Welcome' }).waitFor()
  await told({ screen: 'alerts' })
  await page.getByRole('region', { name: 'Alerts', exact: true }).waitFor()
  await told({ screen: 'fleet', id: '1' })
  await page.getByRole('button', { name: 'Back to the fleet' }).waitFor()

  await told({
    call: { method: 'DELETE', path: '/device/devices/7', query: [{ key: 'deleteHard', value: '<b>true</b>' }] },
  })
  await until(page.getByTestId('toast'), /A link opened this request. Review it before you send it/)
  await page.getByRole('tab', { name: /DELETE \/device\/devices\/7/ }).waitFor()
  await expect.poll(() => p.tabs.count()).toBe(1) // no extra empty tab
  await expect.poll(() => p.method.inputValue()).toBe('DELETE')
  await until(p.status, /^Ready/)
  expect(sent).toEqual([])
})

/** Copies the link to the current view with its key. */
async function copied(page: Page): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.keyboard.press('Control+Shift+L')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^http/)
  return page.evaluate(() => navigator.clipboard.readText())
}

/** Opens a link in another browser, of the same user or another. */
async function open(there: Page, link: string) {
  await there.goto('about:blank')
  await there.goto(link)
}

test('a link to a Monitor screen has its filters, sort order, selection and time range', async () => {
  const page = await portal.page({ fresh: true })
  const there = await portal.page()
  await step('a screen', async () => {
    await page.goto(`${portal.url}/#monitor/alerts`)
    const alerts = page.getByRole('region', { name: 'Alerts', exact: true })
    await alerts.getByRole('button', { name: 'Critical', exact: true }).click()
    await alerts.getByRole('searchbox', { name: 'Search alerts' }).fill('core')
    await alerts.getByRole('columnheader', { name: 'Device' }).getByRole('button').click()
    await alerts.getByRole('row').nth(1).click()
    await page
      .getByRole('complementary')
      .or(page.getByRole('region', { name: /^Alert/ }))
      .first()
      .waitFor()
    await expect.poll(() => copied(page)).toMatch(/#monitor\/alerts\/[\w-]+\?(?=.*severity=4)(?=.*text=core).*sort=/)
    const link = await copied(page)

    await open(there, link)
    const same = there.getByRole('region', { name: 'Alerts', exact: true })
    await same.getByRole('button', { name: 'Critical', exact: true, pressed: true }).waitFor()
    expect(await same.getByRole('searchbox', { name: 'Search alerts' }).inputValue()).toBe('core')
    await expect.poll(() => copied(there)).toBe(link)
  })

  await step('a settings list restores its search', async () => {
    await page.goto(`${portal.url}/#monitor/settings/users`)
    await page.getByRole('searchbox', { name: 'Search users' }).fill('view')
    await page.getByRole('grid', { name: 'Users' }).getByRole('columnheader').first().getByRole('button').click()
    await expect.poll(() => copied(page)).toMatch(/#monitor\/settings\/users\?q=view&sort=/)
    const link = await copied(page)
    await open(there, link)
    await expect.poll(() => there.getByRole('searchbox', { name: 'Search users' }).inputValue()).toBe('view')
    await expect.poll(() => there.getByRole('grid', { name: 'Users' }).getByRole('row').count()).toBe(2)
    await expect.poll(() => copied(there)).toBe(link)

    // A user without permission sees an explanation.
    const refused = await portal.page({ user: 'viewer' })
    await open(refused, link)
    await refused
      .getByRole('main', { name: 'Monitor' })
      .getByText(/You need/)
      .first()
      .waitFor()
  })

  await step('a link to a chart has its range', async () => {
    await page.goto(`${portal.url}/#monitor/fleet/1`)
    const graphs = page.getByTestId('graphs')
    const plot = graphs.getByRole('slider').last()
    await plot.focus()
    await page.keyboard.press('+')
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
    const name = (await graphs.getByRole('region').last().getAttribute('aria-label'))!
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await graphs.getByRole('button', { name: `Copy link to ${name}` }).click()
    await until(page.getByTestId('toast'), /Link copied/)
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(clipboard).toMatch(/#monitor\/fleet\/1\?.*from=\d+&to=\d+.*graph=\d+$/)
    const link = await clipboard()

    await open(there, link)
    await there.getByRole('button', { name: 'Reset zoom' }).waitFor()
    await expect.poll(() => copied(there)).toBe(link.replace(/&graph=\d+$/, ''))
  })
})

test('a link to responses opens them from the history, or says that they are missing', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  const there = await portal.page()
  const other = await portal.page({ user: 'viewer' }) // has another history
  await step('a response', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=3&sort=name')
    await p.response.getByRole('tab', { name: 'Table' }).click()
    await p.response.getByRole('grid', { name: 'Items' }).getByTitle('Sort by id').click()
    await expect.poll(() => copied(page)).toContain('sort')
    const link = await copied(page)
    expect(link).toMatch(/#response\/[\w-]+\/\d+\/GET\/device\/devices\?size=3&sort=name&~view=table/)

    await open(there, link)
    await parts(there).response.getByRole('grid', { name: 'Items' }).waitFor()
    await expect.poll(() => copied(there)).toBe(link)

    await open(other, link)
    await until(other.getByTestId('toast'), /The response is not in your history/)
    await expect.poll(() => parts(other).path.inputValue()).toMatch(/^\/device\/devices/)
    await until(parts(other).status, /^Ready/)
  })

  await step('a link to a comparison compares the same responses', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=2')
    await sendPath(page, '/device/devices?size=3')
    await p.response.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('menuitem', { name: /^Previous response/ }).click()
    const differences = p.response.getByRole('listbox', { name: 'Differences' })
    await differences.getByRole('option').first().waitFor()
    const count = await differences.getByRole('option').count()
    const link = await copied(page)
    expect(link).toMatch(/#diff\/[\w-]+\/\d+\/\d+$/)

    await open(there, link)
    const same = parts(there).response.getByRole('listbox', { name: 'Differences' })
    await expect.poll(() => same.getByRole('option').count()).toBe(count)
    await open(other, link)
    await until(other.getByTestId('toast'), /The compared responses are not in your history/)
  })
})

test('addresses open their pages, and Back and Forward work, also after a reload', async () => {
  const page = await portal.page({ fresh: true })
  await step('Back and Forward go through views, screens and objects', async () => {
    const view = page.getByRole('group', { name: 'View' })
    const fleet = page.getByRole('searchbox', { name: 'Search devices' })
    await view.getByRole('button', { name: 'Monitor' }).click()
    await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Fleet' }).click()
    await fleet.fill('core-sw')
    await page
      .getByRole('grid')
      .getByRole('row', { name: /core-sw-01\.fra/ })
      .dblclick()
    await page.getByRole('button', { name: 'Back to the fleet' }).waitFor()
    await view.getByRole('button', { name: 'API' }).click()
    await parts(page).path.waitFor()

    await page.goBack()
    await page.getByRole('button', { name: 'Back to the fleet' }).waitFor()
    await page.goBack()
    await expect.poll(() => fleet.inputValue()).toBe('core-sw')
    await page.reload()
    await expect.poll(() => fleet.inputValue()).toBe('core-sw')
    await page.goForward()
    await page.getByRole('button', { name: 'Back to the fleet' }).waitFor()
    await page.goBack()
    await page.goBack()
    await page.getByRole('region', { name: 'Device health' }).waitFor()
  })

  await step('an address from an email opens its page in an open or a new window', async () => {
    await page.goto(`${portal.url}/#monitor/fleet/1`)
    await page.getByRole('button', { name: 'Back to the fleet' }).waitFor()
    await expect.poll(() => page.url()).not.toContain('#')
    await page.goto('about:blank')
    await page.goto(`${portal.url}/#monitor/alerts`)
    await page.getByRole('region', { name: 'Alerts', exact: true }).waitFor()
  })
})
