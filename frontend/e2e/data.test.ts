import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { signIn, suite } from './harness'
import { step } from './story'

const portal = suite()

/** Opens a section of the settings. */
async function settings(page: Page, section: string) {
  await page.keyboard.press('Control+,')
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByRole('tab', { name: section, exact: true }).click()
  return dialog
}

async function variables(page: Page): Promise<string[]> {
  const answer = await page.request.get(`${portal.url}/explorer/variables`)
  return ((await answer.json()) as { items: { name: string }[] }).items.map((v) => v.name).sort()
}

async function addVariable(page: Page, name: string) {
  const start = (await (await page.request.get(`${portal.url}/explorer/start`)).json()) as {
    user: { csrfToken: string }
  }
  const made = await page.request.post(`${portal.url}/explorer/variables`, {
    headers: { 'X-CSRF-Token': start.user.csrfToken },
    data: { name, value: 'x' },
  })
  expect(made.status()).toBe(201)
}

test('a backup is saved and restored at the next start, a damaged one changes nothing, and the restore is undone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spyglass-e2e-backup-'))
  const page = await portal.page({ fresh: true })
  await addVariable(page, 'before')
  let data = await settings(page, 'Data')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    data.getByRole('button', { name: 'Back up…' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^spyglass-\d{4}-\d\d-\d\d\.backup$/)
  const file = join(folder, 'mine.backup')
  await download.saveAs(file)
  await addVariable(page, 'after')

  const broken = join(folder, 'broken.backup')
  await writeFile(broken, 'no backup at all')
  await data.getByLabel('Backup to restore').setInputFiles(broken)
  await data
    .getByRole('alert')
    .filter({ hasText: 'broken.backup is not a complete backup of Spyglass; nothing was changed' })
    .waitFor()

  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    data.getByRole('button', { name: 'Restore…' }).click(),
  ])
  expect(chooser.isMultiple()).toBe(false)
  await chooser.setFiles(file)
  const confirmation = data.getByRole('group', { name: 'Restore this backup?' })
  await confirmation.getByText(/mine\.backup was created on .* by Spyglass \d.* and contains \d/).waitFor()
  await confirmation.getByRole('button', { name: 'Restore at the next start' }).click()
  await data.getByText('The restore takes place at the next start').waitFor()
  await expect.poll(() => variables(page)).toEqual(['after', 'before'])

  await portal.crash()
  await page.goto(portal.url)
  await signIn(page) // the restart ends all sessions
  await expect.poll(() => variables(page)).toEqual(['before'])
  data = await settings(page, 'Data')
  await data.getByText(/Spyglass kept the data that the restore of/).waitFor()
  await data.getByRole('button', { name: 'Undo restore' }).click()
  await data.getByText('The restore takes place at the next start').waitFor()

  await portal.crash()
  await page.goto(portal.url)
  await signIn(page) // the restart ends all sessions
  await expect.poll(() => variables(page)).toEqual(['after', 'before'])
  data = await settings(page, 'Data')
  await data.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete the replaced data?' }).getByRole('button', { name: 'Delete' }).click()
  await data.getByText(/Spyglass kept the data/).waitFor({ state: 'detached' })
  await rm(folder, { recursive: true })
})

test('diagnostics are saved, all settings are reset and restored, and licences are shown', async () => {
  const page = await portal.page({ fresh: true, theme: 'dark' })
  await step('diagnostics are saved, and all settings are reset and restored', async () => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    const appearance = await settings(page, 'Appearance')
    await appearance.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'Light' }).check()
    await appearance.getByRole('tab', { name: 'Data', exact: true }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      appearance.getByRole('button', { name: 'Save diagnostics…' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^spyglass-diagnostics-.*\.zip$/)
    await appearance.getByRole('button', { name: 'Reset all settings' }).click()
    await expect.poll(() => theme()).toBe('dark')
    await page.keyboard.press('Escape')
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => theme()).toBe('light')
  })

  await step('About shows the version and finds a licence', async () => {
    const rule = '-'.repeat(78)
    await page.route('**/licences.txt', (route) =>
      route.fulfill({
        contentType: 'text/plain',
        body: `Thanks\n\none 1.0: MIT\ntwo 2.0: ISC\n\n${rule}\none 1.0 (MIT)\n\nPermission\n\n${rule}\ntwo 2.0 (ISC)\n\nMay be used\n`,
      }),
    )
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText('About Spyglass')
    await page.keyboard.press('Enter')
    const about = page.getByRole('dialog', { name: 'Settings' })
    await about.getByRole('heading', { name: /^Spyglass \d+\.\d+/ }).waitFor()
    const licences = about.getByRole('list', { name: 'Licences' })
    await expect.poll(() => licences.getByRole('listitem').count()).toBe(2)
    await about.getByRole('searchbox', { name: 'Search licences' }).fill('isc')
    await licences.getByText('two 2.0').click()
    await licences.getByText('May be used').waitFor()
    await expect.poll(() => licences.getByRole('listitem').count()).toBe(1)
  })
})
