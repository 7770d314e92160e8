import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { suite } from './harness'
import { step } from './story'

const portal = suite()

async function screen(page: Page, name: string) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name }).click()
}

test('rows have a sparkline, and an alert has a story', async () => {
  const page = await portal.page({ fresh: true })
  await step('rows have a sparkline, requested together, with text for screen readers', async () => {
    await portal.filled
    const requests: { series: unknown[] }[] = []
    page.on('request', (r) => {
      if (r.url().includes('/device/instances/sparklines')) requests.push(r.postDataJSON() as { series: unknown[] })
    })
    await screen(page, 'Fleet')
    const fleet = page.getByRole('grid', { name: 'Devices' })
    const chart = fleet.getByRole('img', { name: /^last 6 hours: min [\d.]+ ms, max [\d.]+ ms, last [\d.]+ ms$/ })
    await chart.first().waitFor()
    expect(requests).toHaveLength(1)
    expect(requests[0].series.length).toBeGreaterThan(10)
    expect(await chart.first().locator('path').getAttribute('d')).toMatch(/^M[\d.]+ [\d.]+L/)
    const wide = (await chart.first().boundingBox())!.width
    await page.setViewportSize({ width: 800, height: 600 })
    await expect.poll(async () => (await chart.first().boundingBox())!.width).toBeLessThan(wide)

    await page.setViewportSize({ width: 1440, height: 900 })
    await screen(page, 'Alerts')
    const alerts = page.getByRole('grid', { name: 'Alerts' })
    await alerts
      .getByRole('img', { name: /^\w+, last 6 hours: min / })
      .first()
      .waitFor()
    expect(requests).toHaveLength(2)
  })

  await step('an alert has a story: the cause, a live timeline, charts with one cursor, and files', async () => {
    await screen(page, 'Alerts')
    const alerts = page.getByRole('grid', { name: 'Alerts' })
    await alerts.getByRole('row').nth(1).click()
    await page.getByRole('region', { name: 'Alert', exact: true }).getByRole('button', { name: 'Story' }).click()
    const story = page.getByRole('region', { name: 'Story', exact: true })
    const timeline = story.getByRole('region', { name: 'Timeline' })
    await timeline
      .getByRole('button', { name: / is (warn|error|critical)/ })
      .first()
      .waitFor()
    await story.getByRole('group', { name: 'Summary' }).getByText(/first/i).first().waitFor()
    expect(await page.getByRole('navigation', { name: 'Monitor' }).locator('[aria-current]').innerText()).toBe('Alerts')

    // all charts show the values at the time of an event
    const charts = story.getByRole('region', { name: 'Charts' }).getByRole('slider')
    await charts.first().waitFor()
    await timeline
      .getByRole('button', { name: /^Show [\d:]+ in the charts$/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    const values = () => charts.evaluateAll((all) => all.map((c) => c.getAttribute('aria-valuetext') ?? ''))
    await expect.poll(async () => (await values()).every((v) => /^\d/.test(v))).toBe(true)
    expect(new Set((await values()).map((v) => v.split(': ')[0])).size).toBe(1)

    // the open story shows new user actions
    await story.getByRole('button', { name: 'Back to the alert' }).click()
    await page.getByRole('button', { name: 'Add a note' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('The power supply is dark')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Story', exact: true }).click()
    await timeline.getByText(/The power supply is dark/).waitFor()
    await story.getByRole('button', { name: 'People', exact: true }).click()
    await expect.poll(() => timeline.getByRole('button', { name: / is (warn|error|critical)/ }).count()).toBe(0)
    await timeline.getByText(/The power supply is dark/).waitFor()

    const saved = page.waitForEvent('download')
    await story.getByRole('link', { name: 'Save as Markdown' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^story-.+-\d{4}-\d\d-\d\d\.md$/)
    const pdf = page.waitForEvent('download')
    await story.getByRole('link', { name: 'Save as PDF' }).click()
    expect((await pdf).suggestedFilename()).toMatch(/\.pdf$/)
  })
})

test('a threshold is adjusted on its chart, its alerts are counted, and the change is undone', async () => {
  await portal.filled
  const page = await portal.page({ fresh: true })
  await screen(page, 'Fleet')
  await page.getByRole('searchbox', { name: 'Search devices' }).fill('web-prod-01.fra')
  // By keyboard alone: the device opens with the focus, F6 moves to its charts, Enter to the first handle.
  const row = page.getByRole('grid', { name: 'Devices' }).getByRole('row', { name: /web-prod-01\.fra/ })
  await row.focus()
  await page.keyboard.press('Enter')
  const adjust = page.getByRole('button', { name: /^Adjust the thresholds of/ }).first()
  await adjust.waitFor()
  const pane = () => page.evaluate(() => document.activeElement?.closest<HTMLElement>('main [data-pane]')?.dataset.pane)
  for (const name of ['device', 'sources', 'charts']) {
    if (name !== 'device' || (await pane()) !== name) await page.keyboard.press('F6')
    expect(await pane()).toBe(name)
  }
  await adjust.press('Enter')
  const tune = page.getByRole('group', { name: /^Adjust the threshold of/ })
  await tune.getByText(/^\d+ alerts? in the last 14 days$/).waitFor()
  const handle = page.getByRole('slider', { name: /^Warning threshold of/ })
  const before = Number(await handle.getAttribute('aria-valuenow'))
  await expect.poll(() => handle.evaluate((e) => e === document.activeElement)).toBe(true)
  await page.keyboard.press('ArrowDown')
  await expect.poll(async () => Number(await handle.getAttribute('aria-valuenow'))).toBeLessThan(before)
  await tune.getByText(/^Current threshold: \d+ alerts?$/).waitFor()
  const box = (await handle.boundingBox())!
  await page.mouse.move(box.x + 12, box.y + 12)
  await page.mouse.down()
  await page.mouse.move(box.x + 12, box.y + 42, { steps: 4 })
  await page.mouse.up()
  const moved = Number(await handle.getAttribute('aria-valuenow'))
  expect(moved).toBeLessThan(before)
  // A drag above the chart stops the line below the next severity.
  await page.mouse.down()
  await page.mouse.move(box.x + 12, 0, { steps: 4 })
  await page.mouse.up()
  const error = Number(await page.getByRole('slider', { name: /^Error threshold of/ }).getAttribute('aria-valuenow'))
  const highest = Number(await handle.getAttribute('aria-valuenow'))
  expect(highest).toBeGreaterThan(moved)
  expect(highest).toBeLessThan(error)
  await page.keyboard.press('Escape')
  await tune.waitFor({ state: 'detached' })
  expect(await adjust.evaluate((b) => b === document.activeElement)).toBe(true)
  await adjust.click()
  await handle.focus()
  await page.keyboard.press('PageDown')
  const set = await handle.getAttribute('aria-valuenow')
  await tune.getByRole('button', { name: 'This device' }).click()
  await expect.poll(() => tune.locator('ins').innerText()).toContain(set!)
  await tune.getByRole('button', { name: 'Apply' }).press('Enter')
  await expect.poll(() => adjust.evaluate((b) => b === document.activeElement)).toBe(true)
  const toast = page.getByTestId('toast')
  await toast.getByText(/^Changed the threshold of .+ for this device$/).waitFor()
  await toast.getByRole('button', { name: 'Undo' }).click()
  await toast.getByText(/^Undone: Changed the threshold of/).waitFor()
})
