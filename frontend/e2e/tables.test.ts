import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

type Json = Record<string, unknown>

/** Adds entries to the tables in a response of the portal. */
async function adds(page: Page, path: string, entries: Record<string, Json>) {
  await page.route(path, async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as Record<string, Json[]>
    for (const [table, entry] of Object.entries(entries)) answer[table] = [...answer[table], entry]
    await route.fulfill({ response, json: answer })
  })
}

test('additions to the tables in Go appear in the page, and a request file is not read as variables', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('additions to the tables in Go appear in the page', async () => {
    await adds(page, '**/explorer/start', {
      languages: { id: 'ruby', label: 'Ruby', scriptLabel: 'Ruby script', extension: 'rb' },
      formats: {
        id: 'hopper',
        label: 'Hopper 2',
        family: 'Hopper',
        ext: 'hopper',
        note: 'It has no folders.',
        several: true,
        variables: false,
        writes: true,
        history: true,
      },
    })
    await adds(page, '**/api/report/types', {
      items: { name: 'Capacity', title: 'Capacity', about: 'When disks fill', icon: 'none', fields: ['dateRange'] },
    })
    await adds(page, '**/api/setting/checks', {
      items: {
        name: 'ldap',
        title: 'LDAP',
        needs: { property: 'ldap.dn', label: 'Base', example: 'dc=example', secret: true, category: '', host: '' },
      },
    })
    await page.reload()
    await newRequest(page)

    await p.response.getByRole('tab', { name: 'Snippets' }).click()
    await p.response.getByRole('radio', { name: 'Ruby' }).waitFor()
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('ruby')
    await until(p.palette.getByRole('option', { selected: true }), /^Request as code/)
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('hopper')
    await p.palette.getByRole('option', { name: /^Import…/ }).click()
    const imports = page.getByRole('dialog', { name: 'Import' })
    await imports.getByText(/Spyglass, Postman v2\.1, .*, cURL, or Hopper, up to 32 MiB/).waitFor()
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x') })
    await imports.getByLabel('File', { exact: true }).setInputFiles([file('a.bru'), file('b.hopper')])
    await imports.getByText('select only Bruno .bru or Hopper .hopper files').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('hopper')
    await p.palette.getByRole('option', { name: /^Export…/ }).click()
    const exports = page.getByRole('dialog', { name: 'Export' })
    await exports.getByLabel('Format').selectOption({ label: 'Hopper 2' })
    await exports.getByText('It has no folders.').waitFor()
    await exports.getByLabel('What').selectOption({ label: 'History with responses' })
    await expect.poll(() => exports.getByRole('option').allInnerTexts()).toContain('HAR 1.2')
    await page.keyboard.press('Escape')

    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
    const screens = page.getByRole('navigation', { name: 'Monitor' })
    await screens.getByRole('button', { name: 'Reports' }).click()
    await page.getByRole('button', { name: 'Add report' }).click()
    const report = page.getByRole('region', { name: 'New report' })
    await report.getByRole('combobox', { name: 'Device groups' }).waitFor()
    await report.getByRole('radio', { name: /^Capacity/ }).check({ force: true })
    await report.getByRole('combobox', { name: 'Period' }).waitFor()
    await report.getByRole('combobox', { name: 'Device groups' }).waitFor({ state: 'detached' })
    await screens.getByRole('button', { name: 'Fleet' }).click()
    await page.getByRole('button', { name: 'Add device' }).click()
    const device = page.getByRole('dialog', { name: 'Add device' })
    await device.getByRole('switch', { name: 'LDAP' }).click()
    await expect.poll(() => device.getByLabel('Base').getAttribute('type')).toBe('password')
    await page.keyboard.press('Escape')
    await device.waitFor({ state: 'detached' })
  })

  await step('a request file is not read as variables', async () => {
    await newRequest(page)
    await p.tools.getByRole('tab', { name: 'Variables' }).click()
    const choose = (text: string) =>
      p.tools
        .getByLabel('File of variables')
        .setInputFiles({ name: 'x', mimeType: 'text/plain', buffer: Buffer.from(text) })
    const toast = page.getByTestId('toast')
    await choose('type: environment.insomnia.rest/5.0\nname: x\nenvironments: {name: Base, data: {region: eu}}\n')
    await until(toast, /Import Insomnia files under Collections, including their variables/)
    await choose('tablesTest=1\n')
    await until(toast, /Imported 1 of 1/)
  })
})
