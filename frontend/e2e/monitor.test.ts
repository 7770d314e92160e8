import { expect, test } from 'vitest'
import type { Page, Request } from 'playwright-core'
import { findings } from './findings'
import { parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

async function monitor(page: Page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  const main = page.getByRole('main', { name: 'Monitor' })
  const alerts = main.getByRole('grid', { name: 'Active alerts' })
  await alerts.getByRole('row').nth(2).waitFor()
  return { main, alerts, rows: alerts.getByRole('row') }
}

test('the overview shows alerts, works by keyboard, and opens its API request', async () => {
  const page = await portal.page({ fresh: true, bypassCSP: true })
  const { main, alerts, rows } = await monitor(page)
  await expect
    .poll(() =>
      main
        .getByRole('region', { name: 'Counts' })
        .getByRole('button', { name: /^(Critical|Error|Warning|Acked|Maintenance)/ })
        .count(),
    )
    .toBe(5)
  await until(
    main
      .getByRole('img', { name: /^Alerts raised: \d+ critical/ })
      .locator('text')
      .last(),
    /now/,
  )
  await main.getByRole('group', { name: /^Network: \d+ devices/ }).waitFor()
  const chosen = main.getByRole('region', { name: 'Selected alert' })
  await chosen.getByRole('img').or(chosen.getByText('Loading history')).waitFor()

  // The status bar counts alerts and devices of the whole portal and links to them.
  const short = page.getByRole('region', { name: 'Summary' })
  await short.getByRole('button', { name: /^\d+ critical$/ }).waitFor()
  await until(short, /\d+ active\s*\d[\d,]* devices\s*Updated/)
  const above = main
    .getByRole('region', { name: 'Counts' })
    .getByRole('button', { name: /^(Critical|Error|Warning|Maintenance)/ })
    .locator('.big')
  const differ = async () =>
    parseInt(await short.getByRole('button', { name: / active$/ }).innerText()) -
    (await above.allInnerTexts()).reduce((sum, n) => sum + Number(n), 0)
  await expect.poll(differ).toBe(0)
  await short.getByRole('button', { name: / devices$/ }).click()
  await main.getByRole('grid', { name: 'Devices' }).waitFor()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Overview' }).click()
  await rows.nth(2).waitFor()

  // Values have their units.
  await alerts
    .getByRole('row', { name: /PingLossPercent.* (9[1-9]|100) % > 90 / })
    .first()
    .waitFor()

  // Tab reaches the rows once. The arrow keys select a row, and the chart follows.
  await rows.nth(1).focus()
  await page.keyboard.press('ArrowDown')
  const second = (await rows.nth(2).getByRole('gridcell').nth(1).innerText()).trim()
  expect((await main.getByRole('region', { name: 'Selected alert' }).getByRole('heading').innerText()).trim()).toBe(
    second,
  )

  // An opened alert has the focus in its list, so its keys work at once.
  await page.keyboard.press('Enter')
  await expect
    .poll(() =>
      page.evaluate(() =>
        document.activeElement?.closest('[role="row"]')?.closest('[role="grid"]')?.getAttribute('aria-label'),
      ),
    )
    .toBe('Alerts')
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: /^Add a note to/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Alt+ArrowLeft')
  await rows.nth(2).waitFor()

  // The arrow keys move between the cells of a honeycomb and announce each cell.
  await main.getByRole('group', { name: /^Network: \d+ devices/ }).focus()
  await page.keyboard.press('ArrowRight')
  await until(main.locator('.comb .sr').filter({ hasText: /./ }), /, (critical|error|warning)$/)

  // The API call contains the filter and opens in the Explorer with its response.
  await main.getByRole('button', { name: 'Critical', exact: true }).click()
  await expect
    .poll(async () => new Set(await alerts.locator('.sev:not(.ack, .sdt)').allInnerTexts()))
    .toEqual(new Set(['Critical']))
  await main.getByRole('button', { name: 'Open in API Explorer: Active alerts' }).click()
  const p = parts(page)
  await until(p.status, /^200 OK/)
  await expect.poll(() => p.path.inputValue()).toBe('/alert/alerts')
  await expect
    .poll(() => page.getByRole('region', { name: 'Request', exact: true }).getByText('severity:4').count())
    .toBeGreaterThan(0)
})

test('changes of others appear live, and a pause holds them back', async () => {
  const page = await portal.page({ fresh: true, bypassCSP: true, theme: 'light' })
  const { main, rows } = await monitor(page)
  const unacked = main.getByRole('button', { name: /^Ack / })
  const name = (await unacked.first().getAttribute('aria-label'))!
  await unacked.first().click()
  const dialog = page.getByRole('dialog', { name: name.replace('Ack', 'Acknowledge') })
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('textbox').fill('the carrier knows')
  await page.keyboard.press('Control+Enter')
  await dialog.waitFor({ state: 'detached' })
  await main.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' }) // removed by the event

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  await expect.poll(() => rows.count()).toBeGreaterThan(2)
})

test('the overview of a group names it, and a small window shows the most important parts', async () => {
  const page = await portal.page({ fresh: true, bypassCSP: true, width: 1280, height: 800 })
  await step('groups below the fold are indicated and can be scrolled to', async () => {
    const { main } = await monitor(page)
    const health = main.getByRole('region', { name: 'Device health' })
    const more = health.getByRole('button', { name: /^\d more groups?$/ })
    for (let n = 0; n < 12 && (await more.or(health.getByRole('button', { name: 'Sites' })).count()) > 0; n++) {
      if (!(await more.count())) break
      await more.click()
    }
    await expect.poll(() => more.count()).toBe(0)
  })

  await step('a narrow alert shows the end of its object name', async () => {
    await monitor(page)
    await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Alerts' }).click()
    const row = page
      .getByRole('grid', { name: 'Alerts' })
      .getByRole('row', { name: /SNMP_Interfaces/ })
      .first()
    await row.click()
    await page.getByRole('region', { name: 'Alert', exact: true }).getByText('opened as').waitFor()
    const cut = (at: number) =>
      row
        .getByRole('gridcell', { name: /SNMP_Interfaces/ })
        .locator('.source > span')
        .nth(at)
        .evaluate((e) => e.scrollWidth > e.clientWidth)
    expect([await cut(0), await cut(2)]).toEqual([true, false])
  })

  await step(
    'the overview of a group names it, links back, and opens the devices of a group without subgroups',
    async () => {
      await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Overview' }).click()
      const { main } = await monitor(page)
      const health = main.getByRole('region', { name: 'Device health' })
      await health.getByRole('button', { name: 'Sites' }).click()
      await health.getByText('3 groups in Sites').waitFor()
      expect(await findings(page)).toEqual([])
      await health.getByRole('button', { name: 'Show all groups' }).click()
      await health.getByRole('button', { name: 'Power' }).click()
      await main.getByRole('heading', { name: 'Power' }).waitFor()
      await expect
        .poll(() => main.getByRole('grid', { name: 'Devices' }).getByRole('row').nth(1).innerText())
        .toContain('ups-')
    },
  )
})

test('a small window stacks all panes of the overview, even during an incident', async () => {
  const page = await portal.page({ fresh: true, width: 800, height: 600 })
  await page.route('**/api/demo/incidents?*', (route) =>
    route.fulfill({
      json: {
        total: 1,
        searchId: null,
        isMin: false,
        items: [{ id: 1, kind: 'coreSwitchDown', startOn: Math.floor(Date.now() / 1000), deviceId: 0 }],
      },
    }),
  )
  const { main } = await monitor(page)
  for (const [width, height] of [
    [800, 600],
    [640, 400],
  ])
    await step(`${width} × ${height}`, async () => {
      await page.setViewportSize({ width, height })
      const banner = main.getByRole('status').filter({ hasText: 'Demo incident: Core switch down' })
      await banner.waitFor()
      const sentence = (await banner.getByText(/^since /).boundingBox())!
      expect(sentence.width).toBeGreaterThan(200)
      const boxes = await Promise.all(
        [banner, main.getByRole('region', { name: 'Counts' }), main.getByRole('region', { name: 'Active alerts' })].map(
          async (pane) => (await pane.boundingBox())!,
        ),
      )
      for (const [i, box] of boxes.slice(1).entries())
        expect(box.y).toBeGreaterThanOrEqual(boxes[i].y + boxes[i].height)
      for (const pane of [
        main.getByRole('img', { name: /^Alerts raised/ }),
        main
          .getByRole('region', { name: 'Device health' })
          .getByText('one cell per device')
          .or(main.getByText(/groups$/)),
        main.getByRole('region', { name: 'Selected alert' }).getByRole('img'),
      ]) {
        await pane.first().scrollIntoViewIfNeeded()
        const box = (await pane.first().boundingBox())!
        expect(Math.min(box.width, box.height)).toBeGreaterThan(10)
      }
    })
})

test('alerts are filtered by the API, handled in bulk by keyboard, and maintenance is undone', async () => {
  const page = await portal.page({ fresh: true, bypassCSP: true })
  await monitor(page)
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Alerts' }).click()
  const main = page.getByRole('main', { name: 'Monitor' })
  const grid = main.getByRole('grid', { name: 'Alerts' })
  const rows = grid.getByRole('row')
  await main.getByRole('button', { name: 'Not acked' }).click()
  await expect.poll(() => grid.getByText('Acked', { exact: true }).count()).toBe(0)

  await rows.nth(1).focus()
  await page.keyboard.press('ArrowDown')
  const details = main.getByRole('region', { name: 'Alert', exact: true })
  await details.getByText('opened as').first().waitFor()
  await page.keyboard.press('n')
  await page
    .getByRole('dialog', { name: /^Add a note/ })
    .getByRole('textbox')
    .fill('seen from the test')
  await page.keyboard.press('Control+Enter')
  await details.getByText('seen from the test').waitFor()

  await rows.nth(1).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowDown')
  await main.getByText('2 selected').waitFor()
  const before = Number((await main.getByRole('status').innerText()).replace(/\D/g, ''))
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: 'Acknowledge 2 alerts' }).getByRole('textbox').fill('both are mine')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Acknowledged 2 alerts').waitFor()
  await expect
    .poll(async () => Number((await main.getByRole('status').innerText()).replace(/\D/g, '')))
    .toBeLessThan(before)
  const toast = page.getByTestId('toast')
  await toast.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('button', { name: 'Messages' }).click() // the message is still in the list
  const messages = page.getByRole('dialog', { name: 'Messages' })
  await messages
    .getByRole('listitem')
    .filter({ hasText: 'Acknowledged 2 alerts' })
    .getByRole('button', { name: 'Undo' })
    .click()
  await toast.getByText('Undone: Acknowledged 2 alerts').waitFor()
  await expect
    .poll(async () => Number((await main.getByRole('status').innerText()).replace(/\D/g, '')))
    .toBeGreaterThanOrEqual(before)
  await page.getByRole('button', { name: 'Messages' }).click()
  expect(await messages.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await page.keyboard.press('Escape')

  await rows.nth(1).focus()
  await page.keyboard.press('s')
  const plan = page.getByRole('dialog', { name: /^Plan maintenance/ })
  expect(await findings(page)).toEqual([])
  await plan.getByLabel('4 hours').check()
  await plan.getByRole('button', { name: /^Plan maintenance/ }).click()
  await page
    .getByTestId('toast')
    .filter({ hasText: 'Planned maintenance for' })
    .getByRole('button', { name: 'Undo' })
    .click()
  await page.getByText(/^Undone: Planned maintenance for/).waitFor()

  await main.getByRole('searchbox', { name: 'Search alerts' }).fill('no such thing')
  await main.getByRole('button', { name: 'Show all active alerts' }).click()
  await rows.nth(2).waitFor()
  await page.keyboard.press('Alt+ArrowLeft')
  await main.getByRole('region', { name: 'Device health' }).waitFor()
  await page.keyboard.press('Alt+ArrowRight')
  await grid.waitFor()
})

test('a demo incident is started and stopped, the clock is paused, and a reset needs confirmation', async () => {
  const page = await portal.page({ fresh: true, bypassCSP: true, theme: 'light' })
  await monitor(page)
  await page.keyboard.press('Control+K')
  await page.getByRole('textbox', { name: 'Command' }).fill('Go to Demo')
  await page.keyboard.press('Enter')
  const main = page.getByRole('main', { name: 'Monitor' })
  await main.getByRole('button', { name: 'Pause' }).click()
  await main.getByText('clock is paused').waitFor()
  await main.getByRole('button', { name: 'Start Core switch down' }).click()
  await main.getByRole('button', { name: 'Stop Core switch down' }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await expect.poll(focused).toMatch(/^Show its alerts/)
  expect(await findings(page)).toEqual([])
  // a measurement that ran when the clock stopped may open an alert
  const since = /\/alert\/alerts\?.*startEpoch%3E/
  await page.route(since, (route) => route.fulfill({ json: { total: 0, searchId: null, isMin: false, items: [] } }))
  await main.getByRole('button', { name: /^Show its alerts/ }).click()
  await main.getByText('No new alerts since then').waitFor()
  expect(await findings(page)).toEqual([])
  await page.unroute(since)
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Demo' }).click()
  await main.getByRole('button', { name: 'Resume' }).click()
  await main.getByText('Real time').waitFor()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Alerts' }).click()
  await main
    .getByRole('grid', { name: 'Alerts' })
    .getByText(/^dependents?$/)
    .first()
    .click()
  const details = main.getByRole('region', { name: 'Alert', exact: true })
  await details.getByText(/(is|are) not responding/).waitFor()
  await details.getByRole('button', { name: /^Show the data source/ }).click()
  await main.getByRole('table', { name: 'Data points' }).waitFor()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Demo' }).click()
  await main.getByRole('button', { name: 'Reset the demo…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reset the demo?' })
  await expect.poll(() => dialog.getByRole('button', { name: 'Reset the demo' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Overview' }).click()
  await main.getByText('Demo incident: Core switch down').waitFor()
  expect(await findings(page)).toEqual([])
  await main
    .getByRole('status')
    .filter({ hasText: 'Demo incident' })
    .getByRole('button', { name: /^core-sw-01\./ })
    .waitFor()
  await main.getByRole('button', { name: 'Stop' }).click()
  await main.getByText('Demo incident: Core switch down').waitFor({ state: 'detached' })
})

test('charts follow theme changes of the system and the user', async () => {
  const page = await portal.page({ fresh: true })
  await portal.filled
  const pending = new Set<Request>()
  page.on('request', (r) => {
    if (r.resourceType() === 'fetch') pending.add(r)
  })
  for (const over of ['requestfinished', 'requestfailed'] as const)
    page.on(over as 'requestfinished', (r) => pending.delete(r))
  const { main } = await monitor(page)
  const chart = main.getByRole('region', { name: 'Selected alert' }).locator('canvas')
  const cells = main.getByRole('group', { name: /^Network: \d+ devices/ }).locator('canvas')
  await Promise.all([chart.waitFor(), cells.waitFor()])
  await page.getByRole('button', { name: 'Pause' }).click() // from here on, only the colors change
  const drawn = () => Promise.all([chart, cells].map((c) => c.evaluate((e) => (e as HTMLCanvasElement).toDataURL())))
  await expect.poll(() => pending.size).toBe(0) // a pending response would still be drawn
  const dark = await drawn()
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(async () => (await drawn()).map((picture, i) => picture === dark[i])).toEqual([false, false])
  const light = await drawn()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(drawn).toEqual(dark)
  await page.getByRole('button', { name: /^Theme/ }).click()
  await page.getByRole('menuitemradio', { name: 'Light' }).click()
  await expect.poll(drawn).toEqual(light)
})

test('the chart of an alert reaches to now, even without recent data', async () => {
  const page = await portal.page({ fresh: true })
  await page.route(/\/instances\/\d+\/data\?/, async (route) => {
    const query = new URL(route.request().url()).searchParams
    const [from, to] = ['start', 'end'].map((name) => 1000 * Number(query.get(name)))
    // newest first, and only for the first third of the requested period
    const time = Array.from({ length: 60 }, (_, i) => from + ((60 - i) / 180) * (to - from))
    await route.fulfill({
      json: { dataSourceName: 'Ping', dataPoints: ['it'], time, values: time.map(() => [7]), nextPageParams: '' },
    })
  })
  const { main } = await monitor(page)
  const chart = main.getByRole('region', { name: 'Selected alert' }).getByRole('img')
  const box = (await chart.boundingBox())!
  await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2)
  const tag = chart.locator('.u-over .tag')
  await until(tag, / · 7/)
  const { x, width } = (await tag.boundingBox())!
  expect((x + width / 2 - box.x) / box.width).toBeLessThan(0.6)
})
