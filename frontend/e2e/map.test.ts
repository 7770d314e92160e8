import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { suite } from './harness'
import { step } from './story'

const portal = suite()

async function map(page: Page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Map' }).click()
  return board(page)
}

async function board(page: Page) {
  const board = page.getByRole('application', { name: 'Devices on the map' })
  await board.waitFor()
  return board
}

/** Returns the number of colors on the map. */
const painted = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[role=application] canvas')!
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    const colors = new Set<number>()
    for (let i = 0; i < data.length; i += 4) colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2])
    return colors.size
  })

const panel = (page: Page) => page.getByRole('region', { name: 'Selected device' })

test('the map is drawn, moved with the keyboard, and follows alerts', async () => {
  const page = await portal.page({ fresh: true })
  await step('the map is drawn, and a found device shows its dependencies, alerts and blast radius', async () => {
    await map(page)
    await expect.poll(() => painted(page)).toBeGreaterThan(20)
    await page.getByRole('combobox', { name: 'Find on the map' }).fill('core-sw-01.fra')
    await page.getByRole('option', { name: 'core-sw-01.fra', exact: true }).click()
    await panel(page).getByRole('heading', { name: 'core-sw-01.fra' }).waitFor()
    await panel(page)
      .getByText(/^\d+ devices/)
      .waitFor()
    await panel(page).getByRole('button', { name: 'Highlight' }).click()

    await panel(page).getByRole('combobox', { name: 'Path to' }).fill('web-prod-01.fra')
    await page.getByRole('option', { name: 'web-prod-01.fra', exact: true }).click()
    await panel(page).getByText('Along dependencies').waitFor()
    await panel(page).getByRole('combobox', { name: 'Path to' }).fill('core-sw-01.osl')
    await page.getByRole('option', { name: 'core-sw-01.osl', exact: true }).click()
    await panel(page).getByText('Through groups').waitFor()
    await panel(page).getByRole('button', { name: 'Clear the path' }).click()
    await expect.poll(() => panel(page).getByText('Through groups').count()).toBe(0)

    await panel(page).getByRole('button', { name: 'Open device' }).click()
    await page.getByRole('heading', { name: 'core-sw-01.fra', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Show on the map' }).click()
    await panel(page).getByRole('heading', { name: 'core-sw-01.fra' }).waitFor()
  })

  await step('the keyboard moves, zooms, opens and closes on the map', async () => {
    const it = await map(page)
    await it.focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => panel(page).count()).toBe(0)
    await expect.poll(() => painted(page)).toBeGreaterThan(20)
    const announced = () => it.locator('[aria-live]').innerText()
    await it.focus()
    await page.keyboard.press('0')
    await page.keyboard.press('ArrowRight')
    await expect.poll(announced).not.toBe('')
    const first = await announced()
    await page.keyboard.press('ArrowRight')
    await expect.poll(announced).not.toBe(first)
    // Enter zooms in on a closed box and opens the details of a device
    for (let i = 0; i < 12 && !(await panel(page).isVisible()); i++) {
      await page.keyboard.press('+')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Enter')
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    }
    await panel(page).getByRole('heading', { level: 2 }).waitFor()
    await it.focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => panel(page).count()).toBe(0)
    await expect.poll(() => it.evaluate((e) => e === document.activeElement)).toBe(true)
  })

  await step('colors follow the alerts, without a reload', async () => {
    await map(page)
    const states: string[] = []
    page.on('response', (r) => {
      if (!r.url().includes('/api/device/topology?')) return
      void r
        .json()
        .then((body: { states: string; groups: unknown[] }) => states.push(`${body.groups.length} ${body.states}`))
    })
    await page.evaluate(async () => {
      const start = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
      const headers = { 'X-CSRF-Token': start.user.csrfToken, 'Content-Type': 'application/json' }
      const alerts = (await (await fetch('/api/alert/alerts?filter=acked:false&size=1')).json()) as {
        items: { id: string }[]
      }
      await fetch(`/api/alert/alerts/${alerts.items[0].id}/ack`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ ackComment: 'seen' }),
      })
    })
    // the portal sends only the states again, including an acknowledged alert
    await expect.poll(() => states.some((s) => /^0 [a-zA-Z]*[CEW]/.test(s)), { timeout: 15_000 }).toBe(true)
  })
})

test('the table lists the devices in view, and a link restores the view', async () => {
  const page = await portal.page({ fresh: true })
  await map(page)
  await page.getByRole('button', { name: 'Show everything' }).click()
  const spot = () =>
    page.evaluate(async () => {
      const { settings } = (await (await fetch('/explorer/start')).json()) as {
        settings: { monitor: { filters?: Record<string, string> } }
      }
      return settings.monitor.filters?.zoom
    })
  await expect.poll(spot).toBeTruthy()
  const everything = await spot()
  await page.getByRole('button', { name: 'Show as table' }).click()
  const rows = page.getByRole('region', { name: 'Devices in view' }).getByRole('row')
  await rows.nth(2).waitFor()
  await page.getByRole('combobox', { name: 'Find on the map' }).fill('web-prod-01.fra')
  await page.getByRole('option', { name: 'web-prod-01.fra', exact: true }).click()
  await panel(page).getByRole('heading', { name: 'web-prod-01.fra' }).waitFor()
  await rows
    .filter({ has: page.getByRole('button', { name: 'Select web-prod-01.fra', exact: true }) })
    .getByText('core-sw-01.fra')
    .waitFor()

  await expect.poll(spot).not.toBe(everything)
  const zoom = await spot()
  await page.reload()
  await panel(page).getByRole('heading', { name: 'web-prod-01.fra' }).waitFor()
  await rows.nth(1).waitFor()
  expect(await spot()).toBe(zoom)
  await page.getByRole('button', { name: 'Show as table' }).click()
})
