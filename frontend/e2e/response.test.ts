import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('a response tree expands, collapses, is searched, and its values are copied and saved', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('nodes expand and collapse by click and keyboard', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=20')
    const items = p.tree.getByRole('treeitem', { name: /^items ?: ?\[/ })
    await items.waitFor()
    await expect.poll(() => items.getAttribute('aria-expanded')).toBe('true')
    await items.getByText('items', { exact: true }).click()
    await until(p.tree.getByRole('treeitem', { name: /^items ?: ?\[/ }), /\[/)
    await expect.poll(() => items.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowRight')
    await p.tree.getByRole('treeitem', { level: 3 }).first().waitFor()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => p.tree.getByRole('treeitem', { level: 3 }).count()).toBe(0)
    await page.keyboard.press('Home')
    await expect.poll(() => p.tree.getByRole('treeitem', { selected: true }).getAttribute('aria-level')).toBe('1')
  })

  await step('expand all, collapse all', async () => {
    await p.response.getByRole('button', { name: 'Collapse all' }).click()
    await expect.poll(() => p.tree.getByRole('treeitem', { level: 3 }).count()).toBe(0)
    await expect
      .poll(() => p.tree.getByRole('treeitem', { name: /^items/ }).getAttribute('aria-expanded'))
      .toBe('false')
    await p.response.getByRole('button', { name: 'Expand all', exact: true }).first().click()
    await p.tree.getByText('displayName').first().waitFor()
  })

  await step('find counts, wraps around and names the path', async () => {
    await p.tree.focus()
    await page.keyboard.press('Control+F')
    // inserts the word in one step: searches for parts of it would match the same rows
    await page.keyboard.insertText('preferredCollectorId')
    await until(p.response.getByRole('search'), /1 of 20/)
    await page.keyboard.press('Shift+Enter')
    await until(p.response.getByRole('search'), /20 of 20.*\$\.items\[19\]\.preferredCollectorId/s)
    await p.tree.locator('mark.cur').first().waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => p.tree.evaluate((e) => e === document.activeElement)).toBe(true)
  })

  await step('a value and its path are copied, and it is saved as a variable', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=1&fields=id,displayName')
    const row = p.tree.getByRole('treeitem', { name: /^displayName ?: / })
    await row.hover()
    await row.getByRole('button', { name: 'Copy path' }).click()
    await until(page.getByTestId('toast'), /^Copied path/)
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('$.items[0].displayName')
    await row.getByRole('button', { name: 'Copy value' }).click()
    await until(page.getByTestId('toast'), /^Copied displayName/)
    const value = await page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(() => row.textContent()).toContain(value)
    const id = p.tree.getByRole('treeitem', { name: /^id ?: \d+/ })
    await id.hover()
    await id.getByRole('button', { name: 'Save as variable' }).click()
    await expect.poll(() => page.getByLabel('Variable name').inputValue()).toBe('deviceId')
    await page.keyboard.press('Enter')
    await until(page.getByTestId('toast'), /^Saved \{\{deviceId\}\} = \d+/)
    await p.tools.getByRole('tab', { name: 'Variables' }).click()
    await p.tools.getByRole('textbox', { name: 'Value of deviceId' }).waitFor()
    await p.tools.getByRole('tab', { name: 'Helpers' }).click()
    await p.tools.getByRole('button', { name: 'Save $.items[0].id as variable' }).waitFor()
  })

  await step('Raw, Headers and Snippets show the same response', async () => {
    await newRequest(page)
    await sendPath(page, '/setting/version')
    await p.response.getByRole('tab', { name: 'Raw', exact: true }).click()
    await until(p.response.getByRole('group', { name: 'Response body' }), /version/)
    await p.response.getByRole('tab', { name: 'Headers' }).click()
    await p.response.getByRole('rowheader', { name: 'Content-Type', exact: true }).waitFor()
    await p.response.getByRole('tab', { name: 'Snippets' }).click()
    await until(p.response.getByLabel('cURL snippet'), /curl[\s\S]*\/setting\/version/)
    await p.response.getByText('Python', { exact: true }).click()
    await until(p.response.getByLabel('Python snippet'), /import/)
  })
})

test('a long response renders only visible rows, and Control+A selects all of it', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('a list of 1,000 scrolls to its end with only visible rows rendered', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=1000')
    await p.response.getByRole('button', { name: 'Expand all', exact: true }).first().click()
    await p.tree.focus()
    await expect
      .poll(async () => {
        await page.keyboard.press('End') // the end of the rows expanded so far
        return p.tree.getByRole('treeitem', { name: /^data ?: / }).count()
      })
      .toBe(1)
    await expect.poll(() => p.tree.getByRole('treeitem').count()).toBeLessThan(120)
  })

  await step('Control+A selects the response, or the text being read, not the window', async () => {
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    const whole = await page.evaluate(
      async () => JSON.parse(await (await fetch('/api/device/devices?size=1000')).text()).items.length,
    )
    const copied = async () => JSON.parse(await clipboard()).items.length

    await p.tree.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Control+C')
    await expect.poll(copied).toBe(whole)

    await page.evaluate(() => navigator.clipboard.writeText('{"items":[]}'))
    await p.response.getByRole('tab', { name: 'Raw', exact: true }).click()
    const body = p.response.getByRole('group', { name: 'Response body' })
    await until(body, /displayName/)
    await body.focus()
    await page.keyboard.press('Control+A')
    await p.response.getByText(/^All [\d,]+ lines selected$/).waitFor()
    await page.keyboard.press('Control+C')
    await expect.poll(copied).toBe(whole)
    await body.click()
    await expect.poll(() => p.response.getByText(/lines selected$/).count()).toBe(0)

    await p.tools.getByRole('tab', { name: 'Docs' }).click()
    await p.tools.getByRole('heading', { name: 'List devices' }).click()
    await page.keyboard.press('Control+A')
    const selected = await page.evaluate(() => getSelection()!.toString())
    expect(selected).toContain('List devices')
    expect(selected).not.toContain('Send Request')
  })
})
