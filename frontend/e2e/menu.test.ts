import { expect, test } from 'vitest'
import { suite } from './harness'

const portal = suite()

test('the menu of the application has what it can do, with its keys, and works by the keyboard', async () => {
  const page = await portal.page({ fresh: true })
  const button = page.getByRole('banner').getByRole('button', { name: 'Menu', exact: true })
  await button.focus()
  await page.keyboard.press('ArrowDown')
  const items = page.getByRole('menu', { name: 'Menu' }).getByRole('menuitem')
  const names = (await items.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  expect(names.slice(0, 2)).toEqual(['New API Request Ctrl T', 'Import…']) // nothing is open that could be saved
  expect(names).toContain('Settings Ctrl ,')
  expect(names.slice(-2)).toEqual(['About Spyglass', 'Sign out'])
  expect(names.filter((n) => /Zoom|Full screen|Quit/.test(n))).toEqual([]) // a browser has its own
  await page.keyboard.press('Home')
  for (let i = 0; i < 9 && !(await page.evaluate(() => document.activeElement?.textContent?.includes('Monitor'))); i++)
    await page.keyboard.press('m')
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Monitor' }).waitFor()
  await button.click()
  await page.keyboard.press('Escape')
  await expect.poll(() => button.evaluate((e) => e === document.activeElement)).toBe(true)
})

test('in a small window the menu scrolls to what does not fit', async () => {
  const page = await portal.page({ fresh: true, width: 640, height: 300 })
  await page.getByRole('banner').getByRole('button', { name: 'Menu', exact: true }).click()
  const menu = page.getByRole('menu', { name: 'Menu' })
  const box = (await menu.boundingBox())!
  expect(box.y + box.height).toBeLessThanOrEqual(300)
  await page.keyboard.press('End')
  const last = (await menu.getByRole('menuitem', { name: 'Sign out' }).boundingBox())!
  expect(last.y + last.height).toBeLessThanOrEqual(300)
})
