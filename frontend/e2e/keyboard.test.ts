import { expect, test } from 'vitest'
import { parts, password, suite, until } from './harness'

const portal = suite()

test('from sign-in to a copied value without a pointer', async () => {
  const page = await portal.page({ signedOut: true })
  const p = parts(page)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await page.getByRole('textbox', { name: 'User name' }).waitFor()
  await page.keyboard.type('admin')
  await press('Tab')
  await page.keyboard.type(password)
  await press('Enter')
  await page.getByRole('button', { name: 'API Explorer' }).waitFor()
  await press('Enter') // the first entry has the focus
  await p.path.waitFor()
  await press('Control+L')
  await page.keyboard.type('/device/devices?size=2')
  await press('Escape', 'Control+Enter')
  await until(p.status, /^200 OK/)
  for (let i = 0; i < 4 && !(await p.response.evaluate((e) => e.contains(document.activeElement))); i++) await press('F6')
  for (let i = 0; i < 12 && !(await p.tree.evaluate((e) => e === document.activeElement)); i++) await press('Tab')
  expect(await p.tree.evaluate((e) => e === document.activeElement)).toBe(true)
  await press('ArrowDown')
  await press('Control+C')
  await until(page.getByTestId('toast'), /^Copied /)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\d+$/)
  await press('Control+E')
  await p.tools.getByRole('tab', { name: 'Variables', selected: true }).waitFor()
  await press('Control+H')
  await p.tools.getByRole('tab', { name: 'History', selected: true }).waitFor()
})

test('the focus is always visible', async () => {
  const page = await portal.page()
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate(() => {
      const e = document.activeElement
      if (!e || e === document.body) return true
      const style = getComputedStyle(e)
      const around = e.parentElement ? getComputedStyle(e.parentElement) : style
      return style.outlineStyle !== 'none' || around.outlineStyle !== 'none'
    })
    expect(seen, await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))).toBe(true)
  }
})
