import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newRequest, parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('a request is watched until its checks pass, also by keyboard, and its numbers are charted and saved', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('a request is watched until its checks pass, and its numbers can be charted and saved', async () => {
    await newRequest(page)
    await p.path.fill('/alert/stat')
    await p.path.blur()
    await p.response.getByRole('tab', { name: 'Watch' }).click()
    await p.response.getByText('Not watched yet').waitFor()
    await p.response.getByLabel('Interval in seconds').fill('1')
    await p.response.getByLabel('Interval in seconds').blur()
    await p.response.getByRole('button', { name: 'Start watching' }).click()
    const table = p.response.getByRole('table')
    await table.getByRole('row', { name: /Duration in ms/ }).waitFor()
    await until(p.response.locator('.state'), /^([3-9]|\d\d+) samples, every 1 s/)
    await table.getByRole('img', { name: /^Duration in ms: min / }).waitFor()
    await table.getByRole('checkbox', { name: 'Show Duration in ms in the chart' }).check()
    await p.response.getByRole('slider', { name: /^Chart of the recording\. Duration in ms/ }).waitFor()

    // the tree shows each response and keeps the selection
    await p.response.getByRole('tab', { name: 'JSON' }).click()
    await p.response.getByRole('button', { name: 'Stop watching' }).waitFor()
    await p.tree.focus()
    await page.keyboard.press('ArrowDown')
    const before = await p.tree.elementHandle()
    await expect.poll(async () => before!.evaluate((e) => e.isConnected)).toBe(false)
    await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe('tree')
    await p.tree.locator('.current .ln[data-line="2"]').waitFor()

    await p.response.getByRole('button', { name: 'Stop watching' }).click()
    await p.response.getByRole('tab', { name: 'Watch' }).click()
    await until(p.response.locator('.state'), /Stopped\./)
    if (process.env.SPYGLASS_SHOTS) await page.screenshot({ path: `${process.env.SPYGLASS_SHOTS}/watch.png` })
    const download = page.waitForEvent('download')
    await p.response.getByRole('link', { name: 'Export CSV' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('watch-alert-stat.csv')
    const [head, ...rows] = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/)
    expect(head).toMatch(/time,status,ms,bytes,problem,\$\./)
    expect(rows.length).toBeGreaterThanOrEqual(3)
  })

  await step('the keyboard starts and stops, a check ends it, and a write cannot be watched', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups/1?fields=id,name')
    await p.path.blur()
    await p.response.getByRole('tab', { name: 'Checks' }).click()
    await p.response.getByRole('button', { name: 'Add check' }).click()
    await p.response.getByRole('tab', { name: 'Watch' }).click()
    await p.response.getByRole('switch', { name: 'Stop when all checks pass' }).click()
    await page.keyboard.press('Control+Shift+Enter')
    await until(p.response.locator('.state'), /Stopped: all checks passed\.$/)
    expect(await p.response.getByRole('tab', { name: 'Checks' }).textContent()).toBe('Checks1/1')
    await p.response.getByRole('switch', { name: 'Stop when all checks pass' }).click()
    await page.keyboard.press('Control+Shift+Enter')
    await until(p.response.locator('.state'), /^1 sample, every 5 s/)
    await page.keyboard.press('Control+Shift+Enter')
    await until(p.response.locator('.state'), /Stopped\.$/)
    await p.method.selectOption('POST')
    expect(await p.response.getByRole('button', { name: 'Start watching' }).isDisabled()).toBe(true)
  })
})
