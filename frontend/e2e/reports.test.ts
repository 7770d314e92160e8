import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findings } from './findings'
import { endpoint, parts, suite, until } from './harness'
import { small } from './states'

const portal = suite()

async function reports(page: Page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Reports' }).click()
  return { list: page.getByRole('grid', { name: 'Reports' }), toast: page.getByTestId('toast') }
}

test('a report is created step by step, run, opened without scripts, saved and deleted', async () => {
  const page = await portal.page({ fresh: true })
  const { list, toast } = await reports(page)
  await page.getByRole('button', { name: 'Add report' }).click()
  const form = page.getByRole('region', { name: 'New report' })
  await form.getByRole('radio', { name: /^Inventory/ }).check({ force: true })
  await expect.poll(() => form.getByRole('combobox', { name: 'Period' }).count()).toBe(0) // an inventory has no period
  await form.getByRole('radio', { name: /^Alerts/ }).check({ force: true })
  await form.getByRole('textbox', { name: /^Name/ }).fill('Alerts <script>alert(1)</script>')
  await form.getByRole('combobox', { name: 'Period' }).selectOption('days')
  await form.getByLabel('From').fill('2026-01-01')
  // Part of a path or a pattern selects groups.
  const groups = form.getByRole('combobox', { name: 'Device groups' })
  await groups.fill('wirel')
  await page.getByRole('option', { name: 'Network/Wireless' }).waitFor()
  await page.keyboard.press('Enter')
  await groups.fill('Sites*')
  await page.getByRole('option', { name: 'Sites*' }).waitFor()
  await page.keyboard.press('Enter')
  await form.getByRole('button', { name: 'Remove Network/Wireless' }).press('Enter')
  await form.getByRole('button', { name: 'Remove Sites*' }).waitFor()
  expect(await form.getByRole('button', { name: /^Remove / }).count()).toBe(1)
  await form.getByRole('combobox', { name: 'Schedule' }).selectOption('weekly')
  await form.getByRole('combobox', { name: 'Day of the week' }).selectOption('5')
  await form.getByText('Fridays at 07:00').waitFor()
  const next = form.getByRole('list', { name: 'Next runs' }).getByRole('listitem')
  await expect.poll(() => next.allInnerTexts()).toHaveLength(3)
  await expect.poll(async () => (await next.allInnerTexts()).every((t) => /Fri/.test(t))).toBe(true)
  let made = 0
  page.on('request', (r) => {
    if (r.method() === 'POST' && r.url().endsWith('/report/reports')) made++
  })
  // An invalid day or time shows an error at its field, and the form does not save the previous value.
  await form.getByRole('combobox', { name: 'Schedule' }).selectOption('monthly')
  const day = form.getByRole('spinbutton', { name: 'Day of the month' })
  await day.fill('30')
  await form.getByText('The day of the month must be a whole number from 1 to 28').waitFor()
  await form.getByRole('button', { name: 'Add report' }).click()
  await expect.poll(() => day.evaluate((e) => e === document.activeElement)).toBe(true)
  await day.fill('3')
  await form.getByText(/^On the 3rd of each month at/).waitFor()
  await form.getByLabel('At', { exact: true }).fill('')
  await form.getByText('At: enter a time').waitFor()
  await form.getByRole('button', { name: 'Add report' }).click()
  await expect
    .poll(() => form.getByLabel('At', { exact: true }).evaluate((e) => e === document.activeElement))
    .toBe(true)
  await form.getByLabel('At', { exact: true }).fill('06:30')
  await form.getByText(/^On the 3rd of each month at/).waitFor()
  expect(made).toBe(0) // the form has sent nothing
  await form.getByRole('combobox', { name: 'Schedule' }).selectOption('own')
  await form.getByRole('textbox', { name: 'Cron expression' }).fill('0 7 * *')
  await form.getByText(/schedule must be a cron expression with five fields/).waitFor()
  await form.getByRole('textbox', { name: 'Cron expression' }).fill('0 7 13 * 5')
  await form.getByText('At 07:00 on the 13th or on Friday').waitFor()
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
  await form.getByRole('combobox', { name: 'Period' }).selectOption('Last 30 days')
  await form.getByRole('button', { name: 'Add report' }).click()
  await until(toast, /Added Alerts/)
  await list.getByRole('row', { name: /Alerts <script>/ }).waitFor()

  await page.getByRole('button', { name: 'Run now' }).press('Enter')
  await until(toast, /is ready/)
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Run now')
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await until(runs.first(), /\d+ rows?/)
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    runs.first().getByRole('link', { name: /^Save/ }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/\.html$/)
  await runs.first().getByRole('button', { name: 'Open', exact: true }).click()
  const frame = page.locator('iframe')
  await expect.poll(() => frame.getAttribute('sandbox')).toBe('allow-same-origin allow-modals')
  const inside = page.frameLocator('iframe')
  await until(inside.getByRole('heading', { level: 1 }), /^Alerts <script>alert\(1\)<\/script>$/)
  // the report's own style applies
  await expect.poll(() => inside.locator('h1').evaluate((h) => getComputedStyle(h).fontSize)).toBe('20px')
  await page.getByRole('button', { name: 'Open in API Explorer' }).click()
  await until(parts(page).status, /^200 OK/)

  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('button', { name: 'All reports' }).click() // the run is still open
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await until(page.getByRole('dialog'), /This also deletes its run/)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await until(toast, /Deleted Alerts/)
})

test('numbers, times and the week follow the locale', async () => {
  const page = await portal.page({ fresh: true, locale: 'pt-BR', timeZone: 'America/St_Johns' })
  await reports(page)
  await page.getByRole('button', { name: 'Add report' }).click()
  const form = page.getByRole('region', { name: 'New report' })
  await form.getByRole('combobox', { name: 'Schedule' }).selectOption('weekly')
  const days = await form.getByRole('combobox', { name: 'Day of the week' }).getByRole('option').allInnerTexts()
  expect([days[0], days[6]]).toEqual(['Sunday', 'Saturday'])
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Overview' }).click()
  await until(page.getByRole('grid', { name: 'Active alerts' }).locator('time').first(), /./)
  await expect
    .poll(() => page.getByRole('grid', { name: 'Active alerts' }).locator('time').first().getAttribute('title'))
    .toMatch(/ de \d{4}.* GMT-[23]:30$/)
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'API' }).click()
  await endpoint(page, 'GET /device/devices').click()
  await page.getByRole('region', { name: 'Request', exact: true }).getByText('max 1.000').waitFor()
  await page.keyboard.press('Control+Enter')
  await until(page.getByRole('status'), /^200 OK/)
  await page.keyboard.press('Control+H')
  await page
    .getByRole('region', { name: 'Tools' })
    .getByRole('listitem')
    .first()
    .getByText(/^\d+,\d KB$/)
    .waitFor()
})
