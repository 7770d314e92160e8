import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Link } from '../src/client'
import { newRequest, parts, sendPath, suite, until } from './harness'

const portal = suite()

/** A page that gets the event of a link, as if it had been opened on the desktop. */
async function told(link: Link): Promise<{ page: Page; sent: string[] }> {
  const page = await portal.page({ fresh: true })
  const sent: string[] = []
  page.on('request', (r) => {
    if (/\/explorer\/(send|pages|batch|changes|goes)/.test(r.url())) sent.push(r.url())
  })
  await page.route('**/explorer/events', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 100000\n\nevent: link\ndata: ${JSON.stringify(link)}\n\n`,
    }),
  )
  await page.reload()
  return { page, sent }
}

test('a link from outside shows a screen, a device, or a request that is not sent', async () => {
  const alerts = await told({ screen: 'alerts' })
  await alerts.page.getByRole('region', { name: 'Alerts', exact: true }).waitFor()
  const device = await told({ screen: 'fleet', id: '1' })
  await device.page.getByRole('button', { name: 'Back to the fleet' }).waitFor()

  const { page, sent } = await told({
    call: { method: 'DELETE', path: '/device/devices/7', query: [{ key: 'deleteHard', value: '<b>true</b>' }] },
  })
  await until(page.getByTestId('toast'), /A link opened this request. Review it before you send it/)
  const p = parts(page)
  await page.getByRole('tab', { name: /DELETE \/device\/devices\/7/ }).waitFor()
  await expect.poll(() => page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab').count()).toBe(1) // no empty one beside it
  await expect.poll(() => page.getByRole('combobox', { name: 'Method' }).inputValue()).toBe('DELETE')
  await until(p.status, /^Ready/)
  expect(sent).toEqual([])
})

test('the address in a mail leads to its page, in a portal that is open and in one that is opened by it', async () => {
  const page = await portal.page({ fresh: true })
  await page.goto(`${portal.url}/#monitor/fleet/1`)
  await page.getByRole('button', { name: 'Back to the fleet' }).waitFor()
  await expect.poll(() => page.url()).not.toContain('#')
  await page.goto('about:blank')
  await page.goto(`${portal.url}/#monitor/alerts`)
  await page.getByRole('region', { name: 'Alerts', exact: true }).waitFor()
})

test('what is no link is told in a sentence, as text', async () => {
  const { page } = await told({
    problem: '“<img src=x onerror=alert(1)>” cannot be opened: links begin with spyglass://',
  })
  await until(page.getByTestId('toast'), /“<img src=x onerror=alert\(1\)>” cannot be opened/)
  await page.getByRole('main', { name: 'Welcome' }).waitFor()
})

/** Copies the link to what the page shows, by its key. */
async function copied(page: Page): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.keyboard.press('Control+Shift+L')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^http/)
  return page.evaluate(() => navigator.clipboard.readText())
}

/** Another browser of the same user, or of another one, at a link. */
async function opened(link: string, user = 'admin'): Promise<Page> {
  const page = await portal.page({ user })
  await page.goto('about:blank')
  await page.goto(link)
  return page
}

test('the link to a screen has its filters, its sort order and its selection', async () => {
  const page = await portal.page({ fresh: true })
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

  const there = await opened(link)
  const same = there.getByRole('region', { name: 'Alerts', exact: true })
  await same.getByRole('button', { name: 'Critical', exact: true, pressed: true }).waitFor()
  expect(await same.getByRole('searchbox', { name: 'Search alerts' }).inputValue()).toBe('core')
  await expect.poll(() => copied(there)).toBe(link)
})

test('a list in the settings is found again as it was searched, and whoever may not see it is told', async () => {
  const page = await portal.page({ fresh: true })
  await page.goto(`${portal.url}/#monitor/settings/users`)
  await page.getByRole('searchbox', { name: 'Search users' }).fill('view')
  await page.getByRole('grid', { name: 'Users' }).getByRole('columnheader').first().getByRole('button').click()
  await expect.poll(() => copied(page)).toMatch(/#monitor\/settings\/users\?q=view&sort=/)
  const link = await copied(page)
  const there = await opened(link)
  await expect.poll(() => there.getByRole('searchbox', { name: 'Search users' }).inputValue()).toBe('view')
  await expect.poll(() => there.getByRole('grid', { name: 'Users' }).getByRole('row').count()).toBe(2)
  await expect.poll(() => copied(there)).toBe(link)

  const refused = await opened(link, 'viewer')
  await refused
    .getByRole('main', { name: 'Monitor' })
    .getByText(/You need/)
    .first()
    .waitFor()
})

test('the link to a chart has its range, and leads to the chart', async () => {
  const page = await portal.page({ fresh: true })
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
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(/#monitor\/fleet\/1\?.*from=\d+&to=\d+.*graph=\d+$/)

  const there = await opened(link)
  await there.getByRole('button', { name: 'Reset zoom' }).waitFor()
  await expect.poll(() => copied(there)).toBe(link.replace(/&graph=\d+$/, ''))
})

test('the link to a response opens it from the history, and says when it is not there', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=3&sort=name')
  await p.response.getByRole('tab', { name: 'Table' }).click()
  await p.response.getByRole('grid', { name: 'Items' }).getByTitle('Sort by id').click()
  await expect.poll(() => copied(page)).toContain('sort')
  const link = await copied(page)
  expect(link).toMatch(/#response\/[\w-]+\/\d+\/GET\/device\/devices\?size=3&sort=name&~view=table/)

  const there = await opened(link)
  await parts(there).response.getByRole('grid', { name: 'Items' }).waitFor()
  await expect.poll(() => copied(there)).toBe(link)

  const other = await opened(link, 'viewer') // the history is another one
  await until(other.getByTestId('toast'), /The response is not in your history/)
  await expect.poll(() => parts(other).path.inputValue()).toMatch(/^\/device\/devices/)
  await until(parts(other).status, /^Ready/)
})

test('the link to a comparison compares the same responses', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
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

  const there = await opened(link)
  const same = parts(there).response.getByRole('listbox', { name: 'Differences' })
  await expect.poll(() => same.getByRole('option').count()).toBe(count)
  const other = await opened(link, 'viewer')
  await until(other.getByTestId('toast'), /The compared responses are not in your history/)
})

test('Back and Forward of the browser go through views, screens and objects, also after a reload', async () => {
  const page = await portal.page({ fresh: true })
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
