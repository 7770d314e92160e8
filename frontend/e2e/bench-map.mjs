/**
 * Drags the topology map of a running portal at several scales, and prints the
 * longest task of the page in milliseconds of CPU time, for each scale and the
 * worst of them, as one JSON object.
 *
 *   node e2e/bench-map.mjs http://127.0.0.1:8443 admin < password
 */
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'
import { longestTask } from './tasks.mjs'

const [url, user] = process.argv.slice(2)
if (!url || !user) {
  console.error('usage: node e2e/bench-map.mjs URL USER < password')
  process.exit(2)
}
const password = (await text(process.stdin)).trim()
/** Clicks on the zoom button, starting from the whole map. */
const scales = [0, 1, 2, 3, 5, 7, 9]

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
})
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('textbox', { name: 'User name' }).fill(user)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'View' }).waitFor()
  const answer = page.waitForResponse((r) => r.url().includes('/api/device/topology'))
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Map' }).click()
  const { devices } = await (await answer).json()
  const board = page.getByRole('application', { name: 'Devices on the map' })
  await board.waitFor()
  const box = await board.boundingBox()
  const found = []
  for (const steps of scales) {
    await page.getByRole('button', { name: 'Show everything' }).click()
    await page.waitForTimeout(600)
    for (let i = 0; i < steps; i++) await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.waitForTimeout(300)
    found.push(await longestTask(page, () => drag(page, box)))
  }
  console.log(JSON.stringify({ devices: devices.ids.length, task: Math.max(...found), found }))
} finally {
  await browser.close()
}

/** Drags the map in a circle. */
async function drag(page, box) {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await page.mouse.move(middle.x, middle.y)
  await page.mouse.down()
  for (let i = 1; i <= 90; i++) {
    const turn = (i / 30) * 2 * Math.PI
    await page.mouse.move(middle.x + 160 * Math.sin(turn), middle.y + 120 * (1 - Math.cos(turn)))
  }
  await page.mouse.up()
}
