import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('values become checks, with the keyboard alone', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('a value of the tree becomes a check, and each response shows its result', async () => {
    await newRequest(page)
    await sendPath(page, '/device/groups/1?fields=id,name')
    await p.tree.getByRole('treeitem', { name: /^id ?: 1/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Check this value' }).click()
    await page.getByTestId('toast').getByRole('button', { name: 'Show checks' }).click()
    const checks = p.response.getByRole('list', { name: 'Checks' })
    expect(await checks.getByLabel('Path of check 1').inputValue()).toBe('$.id')
    expect(await checks.getByLabel('Value of check 1').inputValue()).toBe('1')
    await p.response.getByText('Send the request to run the checks.').waitFor()
    expect(await p.response.getByText('Edited since sent').count()).toBe(0)

    await p.response.getByRole('button', { name: 'Add check' }).click()
    await checks.getByLabel('Kind of check 2').selectOption({ label: 'Status' })
    await checks.getByLabel('Value of check 2').fill('404')
    await p.response.getByRole('button', { name: 'Add check' }).click()
    await checks.getByLabel('Kind of check 3').selectOption({ label: 'Body' })
    expect(await checks.getByLabel('Value of check 3').count()).toBe(0)
    await page.keyboard.press('Control+Enter')
    await p.response.getByText('2 of 3 passed', { exact: true }).waitFor()
    expect(await p.response.getByRole('tab', { name: 'Checks' }).textContent()).toBe('Checks2/3')
    const failed = checks.getByRole('group', { name: 'check 2 failed' })
    expect((await failed.innerText()).split(/\n+/)).toEqual(['failed', 'Expected', '404', 'Actual', '200'])
    await checks.getByRole('group', { name: 'check 1 passed' }).waitFor()

    // an edited check has no result until it is sent again
    await checks.getByLabel('Value of check 2').fill('2xx')
    await failed.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Enter')
    await p.response.getByText('3 of 3 passed', { exact: true }).waitFor()
    await checks.getByRole('switch', { name: 'check 3 on' }).click()
    await checks.getByRole('button', { name: 'Remove check 1' }).click()
    await expect.poll(() => checks.getByRole('listitem').count()).toBe(2)
    await page.keyboard.press('Control+Enter')
    await p.response.getByText('1 of 1 passed', { exact: true }).waitFor()

    await until(p.status, /^200 OK/)
    await page.reload()
    await p.response.getByRole('tab', { name: 'Checks' }).click()
    await expect.poll(() => checks.getByRole('listitem').count()).toBe(2)
  })

  await step('an empty Checks tab explains them, by keyboard', async () => {
    await newRequest(page)
    await page.keyboard.press('Control+K')
    await page.keyboard.type('response checks')
    await until(p.palette.getByRole('option', { selected: true }), /^Response checks/)
    await page.keyboard.press('Enter')
    await p.response.getByText('No checks', { exact: true }).waitFor()
    await p.response.getByRole('button', { name: 'Add check' }).focus()
    await page.keyboard.press('Enter')
    const label = () => page.evaluate(() => document.activeElement?.ariaLabel)
    await expect.poll(label).toBe('Kind of check 1')
    await p.path.fill('/device/groups/1?fields=id')
    await p.response.getByLabel('Kind of check 1').focus()
    for (const next of ['Operator of check 1', 'Value of check 1']) {
      await page.keyboard.press('Tab')
      expect(await label()).toBe(next)
    }
    await page.keyboard.press('Control+a')
    await page.keyboard.type('2xx')
    await page.keyboard.press('Control+Enter')
    await p.response.getByText('1 of 1 passed', { exact: true }).waitFor()
    expect(await label()).toBe('Value of check 1')
    await p.response.getByRole('button', { name: 'Remove check 1' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Add check')
  })
})

test('a collection runs for each row of a data file, and its report is saved', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await p.path.fill('/device/groups/{{group}}')
  await p.path.blur()
  await p.response.getByRole('tab', { name: 'Checks' }).click()
  await p.response.getByRole('button', { name: 'Add check' }).click()
  await page.keyboard.press('Control+S')
  const save = page.getByRole('dialog', { name: 'Save request' })
  await save.getByLabel('Name', { exact: true }).fill('One group')
  await save.getByRole('button', { name: 'Save' }).click()
  await save.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+K')
  await page.keyboard.type('collections')
  await p.palette.getByRole('option', { name: /^Collections/ }).click()
  await p.catalog.getByRole('treeitem', { name: /^My requests,/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Run…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run My requests' })
  await dialog.getByLabel('Data file', { exact: true }).setInputFiles({
    name: 'groups.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('group\n1\n999999\n'),
  })
  await dialog.getByText('groups.csv').waitFor()
  await dialog.getByLabel('At a time').fill('2')
  await dialog.getByRole('switch', { name: 'Stop at the first failure' }).click()
  await dialog.getByRole('button', { name: 'Run 1 request' }).click()
  const run = p.catalog.getByRole('region', { name: 'Run' })
  await run.getByText('1 of 2 succeeded').waitFor()
  await run.getByRole('button', { name: /^GET row 1 One group 200/ }).waitFor()
  await run
    .getByRole('button', { name: /^GET row 2 One group 404 .* 1 of 1 checks failed: Status is 200, not 404/ })
    .waitFor()
  await run.getByRole('button', { name: 'Checks of One group, row 2: 0 of 1 passed' }).click()
  const shown = page.getByRole('dialog', { name: 'Checks of One group' })
  expect((await shown.getByRole('row').nth(1).innerText()).split('\t').map((c) => c.trim())).toEqual([
    'failed',
    'Status is 200',
    '200',
    '404',
  ])
  await page.keyboard.press('Escape')
  await run.getByRole('button', { name: 'Report' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'JUnit XML' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('report.xml')
  expect(await readFile(await file.path(), 'utf8')).toContain('<testsuites name="My requests" tests="2" failures="1"')
  await run.getByRole('button', { name: 'Close the results' }).click()
})
