/**
 * Pictures of the sign-in page, the welcome screen, the explorer and the
 * palette, in both themes and two sizes, against a portal that runs already:
 *
 *   node e2e/screenshots.mjs http://127.0.0.1:8443 admin folder < password
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'

const [url, user, folder] = process.argv.slice(2)
if (!url || !user || !folder) {
  console.error('usage: node e2e/screenshots.mjs URL USER FOLDER < password')
  process.exit(2)
}
const password = (await text(process.stdin)).trim()
await mkdir(folder, { recursive: true })

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
try {
  for (const theme of ['dark', 'light'])
    for (const [width, height] of [[1280, 800], [1440, 900], [1920, 1080]]) await round(theme, width, height)
} finally {
  await browser.close()
}

async function round(theme, width, height) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const shot = (name) => page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) })
  await page.goto(url)
  await page.getByRole('textbox', { name: 'User name' }).waitFor()
  await shot('signin')
  await page.getByRole('textbox', { name: 'User name' }).fill(user)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Welcome screen' }).click()
  await page.getByText('Sample requests').waitFor()
  await shot('welcome')
  await page.getByRole('button', { name: 'New tab' }).click()
  await page.getByRole('menuitem', { name: 'New API Request' }).click()
  await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('get device devices')
  await page.getByRole('treeitem', { name: /^GET \/device\/devices(?![\w/{])/ }).first().click()
  await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('tree', { name: 'JSON' }).getByRole('treeitem').first().waitFor()
  await shot('explorer')
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('searchbox', { name: 'Search history' }).waitFor()
  await shot('history')
  await page.keyboard.press('Control+K')
  await page.keyboard.type('API')
  await page.getByRole('dialog', { name: 'Command palette' }).getByRole('option').first().waitFor()
  await shot('palette')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Monitor' }).first().click()
  await page.getByRole('main', { name: 'Monitor' }).waitFor()
  await shot('monitor')
  await context.close()
}
