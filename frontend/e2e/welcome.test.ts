import { expect, test } from 'vitest'
import { parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('the API Explorer opens from every entry, and the welcome screen lists recent requests', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  const main = page.getByRole('main', { name: 'Welcome' })
  const view = (name: string) => page.getByRole('group', { name: 'View' }).getByRole('button', { name })
  await step('the welcome screen shows the user, the portal and the data folder', async () => {
    await main.getByText(/signed in as admin to \S/).waitFor()
    await main.getByText(/data in \S/).waitFor()
    await expect.poll(() => main.getByRole('region', { name: 'Sample requests' }).getByRole('button').count()).toBe(6)
    await expect.poll(() => page.title()).toMatch(/^Welcome screen · .+ · Spyglass$/)
  })

  await step('keyboard: press K with the modifier, then M, to toggle to the API view', async () => {
    await page.keyboard.press('Control+K')
    await p.palette.getByText('Ctrl K M').waitFor()
    await page.keyboard.press('m')
    await p.path.waitFor()
  })

  await step('welcome screen: select the API Explorer entry', async () => {
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    await main.getByRole('button', { name: 'API Explorer' }).click()
    await p.path.waitFor()
  })

  await step('command palette: press Ctrl+K and type "API"', async () => {
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    await main.waitFor()
    await page.keyboard.press('Control+K')
    await expect.poll(() => p.command.evaluate((e) => e === document.activeElement)).toBe(true)
    await page.keyboard.insertText('API')
    const options = p.palette.getByRole('option')
    await expect
      .poll(async () => (await options.allInnerTexts()).slice(0, 2).map((t) => t.split('\n')[0].trim()))
      .toEqual(['API Explorer', 'New API Request'])
    await page.keyboard.press('Enter')
    await p.palette.waitFor({ state: 'detached' })
    await p.path.waitFor()
  })

  await step('new tab: select + and then New API Request, from every view', async () => {
    for (const from of [
      () => page.getByRole('button', { name: 'Welcome screen' }).click(),
      () => view('Monitor').click(),
      () => view('API').click(),
    ]) {
      await from()
      await page.getByRole('button', { name: 'New tab' }).click()
      await page.getByRole('menuitem', { name: 'New API Request' }).click()
      await p.path.waitFor()
    }
  })

  await step('the window title names the view and its portal', async () => {
    await p.path.fill('/setting/version')
    await expect.poll(() => page.title()).toMatch(/^GET \/setting\/version · .+ · Spyglass$/)
    await view('Monitor').click()
    await expect.poll(() => page.title()).toMatch(/^Overview · .+ · Spyglass$/)
    await view('API').click()
  })

  await step('a recent request opens again', async () => {
    await sendPath(page, '/setting/version')
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    await page
      .getByRole('region', { name: 'Recent requests' })
      .getByRole('button', { name: /\/setting\/version/ })
      .click()
    await expect.poll(() => p.path.inputValue()).toBe('/setting/version')
    await until(p.status, /^200 OK/)
  })
})

test('every sample opens a tab with a valid request', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  const list = page.getByRole('region', { name: 'Sample requests' }).getByRole('button')
  await expect.poll(() => list.count()).toBe(6)
  for (let i = 0; i < 6; i++) {
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    const says = (await list.nth(i).textContent()) ?? ''
    const [post, data] = [/POST/.test(says), /Data of/.test(says)]
    await list.nth(i).click()
    await p.path.waitFor()
    await page.keyboard.press('Control+Enter')
    await until(p.status, post ? /^201 Created/ : data ? /^200 OK/ : /^200 OK .* items?$/)
  }
  await expect.poll(() => p.tabs.count()).toBe(6)
})

test('the tour has five steps, ends with Escape, and is not offered again', async () => {
  const page = await portal.page({ fresh: true })
  const tour = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Start tour' }).focus()
  await page.keyboard.press('Enter')
  const stops = ['Every endpoint', 'Fill in', 'Read the response', 'Reuse requests', 'Monitor the']
  for (const [i, title] of stops.entries()) {
    await tour.getByRole('heading', { name: title }).waitFor()
    await tour.getByText(`${i + 1} of 5`).waitFor()
    const box = (await tour.boundingBox())!
    expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1440 && box.y + box.height <= 900).toBe(true)
    if (i < 4) await page.keyboard.press(i % 2 ? 'ArrowRight' : 'Enter')
  }
  await page.getByRole('main', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await tour.getByRole('heading', { name: stops[3] }).waitFor()
  await until(parts(page).status, /^200 OK/)
  await page.keyboard.press('Escape')
  await tour.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Welcome screen' }).click()
  await page.getByRole('button', { name: 'API Explorer', exact: true }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Start tour' }).count()).toBe(0)
})

test('the application menu lists commands with their keys, and works by keyboard', async () => {
  const page = await portal.page({ fresh: true })
  const button = page.getByRole('banner').getByRole('button', { name: 'Menu', exact: true })
  await button.focus()
  await page.keyboard.press('ArrowDown')
  const items = page.getByRole('menu', { name: 'Menu' }).getByRole('menuitem')
  const names = (await items.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  expect(names.slice(0, 2)).toEqual(['New API Request Ctrl T', 'Import…']) // no Save, because no request is open
  expect(names).toContain('Settings Ctrl ,')
  expect(names.slice(-2)).toEqual(['About Spyglass', 'Sign out'])
  expect(names.filter((n) => /Zoom|Full screen|Quit/.test(n))).toEqual([]) // the browser has these commands
  await page.keyboard.press('Home')
  for (let i = 0; i < 9 && !(await page.evaluate(() => document.activeElement?.textContent?.includes('Monitor'))); i++)
    await page.keyboard.press('m')
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Monitor' }).waitFor()
  await button.click()
  await page.keyboard.press('Escape')
  await expect.poll(() => button.evaluate((e) => e === document.activeElement)).toBe(true)

  await step('in a small window it scrolls', async () => {
    await page.setViewportSize({ width: 640, height: 300 })
    await page.getByRole('banner').getByRole('button', { name: 'Menu', exact: true }).click()
    const menu = page.getByRole('menu', { name: 'Menu' })
    const box = (await menu.boundingBox())!
    expect(box.y + box.height).toBeLessThanOrEqual(300)
    await page.keyboard.press('End')
    const last = (await menu.getByRole('menuitem', { name: 'Sign out' }).boundingBox())!
    expect(last.y + last.height).toBeLessThanOrEqual(300)
  })
})
