import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { suite } from './harness'

const portal = suite()

async function screen(page: Page, name: string) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name }).click()
}

test('rows have a small chart of the last hours, requested together, with words for screen readers', async () => {
  await portal.filled
  const page = await portal.page({ fresh: true })
  const asked: { series: unknown[] }[] = []
  page.on('request', (r) => {
    if (r.url().includes('/device/instances/sparklines')) asked.push(r.postDataJSON() as { series: unknown[] })
  })
  await screen(page, 'Fleet')
  const fleet = page.getByRole('grid', { name: 'Devices' })
  const chart = fleet.getByRole('img', { name: /^last 6 hours: min [\d.]+ ms, max [\d.]+ ms, last [\d.]+ ms$/ })
  await chart.first().waitFor()
  expect(asked).toHaveLength(1)
  expect(asked[0].series.length).toBeGreaterThan(10)
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
  expect(asked).toHaveLength(2)
})
