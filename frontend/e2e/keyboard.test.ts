import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { parts, suite, until } from './harness'
import { password } from './portal'

const portal = suite()

test('the keyboard alone signs in, selects, edits, sends, reads, saves a value, runs again and undoes', async () => {
  const page = await portal.page({ signedOut: true })
  const p = parts(page)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const focused = (locator: Locator) => locator.evaluate((e) => e === document.activeElement)
  /** Presses a key until `to` has the focus. */
  const walk = async (key: string, to: Locator, most = 40) => {
    await to.waitFor()
    for (let i = 0; i < most && !(await focused(to)); i++) await press(key)
    await expect.poll(() => focused(to)).toBe(true)
  }
  const pane = async (name: 'Response' | 'Tools') => {
    const region = page.getByRole('region', { name, exact: true })
    for (let i = 0; i < 4 && !(await region.evaluate((e) => e.contains(document.activeElement))); i++) await press('F6')
  }

  await page.getByRole('textbox', { name: 'User name' }).waitFor()
  await page.keyboard.type('admin')
  await press('Tab')
  await page.keyboard.type(password)
  await press('Enter')
  await page.getByRole('button', { name: 'API Explorer' }).waitFor()

  await press('Control+K')
  await page.keyboard.type('get /device/devices')
  await until(p.palette.getByRole('option', { selected: true }), /GET\s*\/device\/devices(?!\/)/)
  await press('Enter')
  await expect.poll(() => p.path.inputValue()).toBe('/device/devices')

  await press('Control+L')
  const size = p.request
    .getByRole('textbox', { name: 'size value' })
    .or(p.request.getByRole('combobox', { name: 'size value' }))
  await walk('Tab', size)
  await press('Control+A')
  await page.keyboard.type('2')
  await press('Control+Enter')
  await until(p.status, /^200 OK.* 2 items/)

  await pane('Response')
  await walk('Tab', p.tree)
  for (let i = 0; i < 12 && !/^\s*"?id"?: *\d/.test(await current(p.tree)); i++) await press('ArrowDown')
  await press('Control+C')
  await until(page.getByTestId('toast'), /^Copied /)
  const id = await page.evaluate(() => navigator.clipboard.readText())
  expect(id).toMatch(/^\d+$/)
  await press('Shift+F10')
  await walk('ArrowDown', page.getByRole('menuitem', { name: 'Save as variable' }))
  await press('Enter')
  await page.getByRole('dialog', { name: 'Save as variable' }).waitFor()
  await press('Control+A')
  await page.keyboard.type('first')
  await press('Enter')
  await page.getByRole('dialog', { name: 'Save as variable' }).waitFor({ state: 'detached' })
  await press('Control+E')
  await expect.poll(() => focused(p.tools.getByRole('searchbox', { name: 'Find a variable' }))).toBe(true)
  await expect.poll(() => p.tools.getByLabel('Value of first').inputValue()).toBe(id)

  await press('Control+L', 'Control+A')
  await page.keyboard.type('/device/devices/{{first}}')
  await press('Escape', 'Control+Enter')
  await expect.poll(() => p.tree.innerText()).toMatch(new RegExp(`\\bid\\s*:\\s*${id}\\b`))
  await until(p.status, /^200 OK(?!.* items)/)

  await press('Control+H')
  await expect.poll(() => focused(p.tools.getByRole('searchbox', { name: 'Search history' }))).toBe(true)
  await walk('Tab', p.tools.getByRole('listitem').first().getByRole('button', { name: /^GET/ }))
  await press('ArrowDown', 'Shift+F10')
  await walk('ArrowDown', page.getByRole('menuitem', { name: 'Run again' }))
  await press('Enter')
  await until(p.status, /^200 OK.* 2 items/)

  await press('Control+L')
  const before = await p.path.inputValue()
  await page.keyboard.press('End')
  await page.keyboard.type('/7')
  await press('Control+Z', 'Control+Z') // the endpoint change with its switched-off parameters, then the path
  await expect.poll(() => p.path.inputValue()).toBe(before)
})

/** Returns the text of the active line of the tree. */
function current(tree: Locator): Promise<string> {
  return tree.evaluate((e) => document.getElementById(e.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '')
}

test('the focus is always visible', async () => {
  const page = await portal.page()
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate(() => {
      const e = document.activeElement
      if (!e || e === document.body) return true
      const around = [e, e.parentElement, e.parentElement?.parentElement] // a field or a card has the outline
      return around.some((at) => at && getComputedStyle(at).outlineStyle !== 'none')
    })
    expect(seen, await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))).toBe(true)
  }
})
