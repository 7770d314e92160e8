/**
 * Types names into the palette of a running portal, and prints the median and the
 * longest time from a key press to the layout with local results, and to the last
 * change of the visible results, in milliseconds, as JSON.
 *
 *   node e2e/bench-palette.mjs http://127.0.0.1:8443 admin < password
 */
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'

const [url, user] = process.argv.slice(2)
if (!url || !user) {
  console.error('usage: node e2e/bench-palette.mjs URL USER < password')
  process.exit(2)
}
const password = (await text(process.stdin)).trim()

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  await page.getByRole('textbox', { name: 'User name' }).fill(user)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'View' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('dialog', { name: 'Command palette' }).getByRole('textbox')
  await field.waitFor()
  const { devices } = await page.evaluate(async () => {
    const answer = await fetch('/api/device/devices?size=1&fields=id')
    return { devices: (await answer.json()).total }
  })
  await field.evaluate(type, ['warm', 'web']) // loads the code for the first query, and builds the portal's index
  console.log(JSON.stringify({ devices, ...(await field.evaluate(type, ['web-1', 'core sw', 'db-prod-3', '10.4'])) }))
} finally {
  await browser.close()
}

/** Types queries into the palette. Runs in the page. */
async function type(input, queries) {
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  const list = document.getElementById(input.getAttribute('aria-controls'))
  let last = 0
  let seen = ''
  new MutationObserver(() => {
    const now = performance.now()
    const end = list.getBoundingClientRect().bottom
    const rows = [...list.querySelectorAll('[role="option"]')]
    const below = rows.findIndex((row) => row.getBoundingClientRect().top >= end)
    const shown = (below < 0 ? rows : rows.slice(0, below)).map((row) => row.textContent).join('\n')
    if (shown !== seen) [seen, last] = [shown, now]
  }).observe(list, { subtree: true, childList: true, characterData: true })
  const own = []
  const all = []
  for (const query of queries) {
    for (let n = 1; n <= query.length; n++) {
      await new Promise(requestAnimationFrame)
      await new Promise((idle) => setTimeout(idle))
      const begun = performance.now()
      set.call(input, query.slice(0, n))
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await Promise.resolve() // the page changes in a microtask
      await Promise.resolve()
      document.body.getBoundingClientRect() // forces the layout
      own.push(performance.now() - begun)
      last = performance.now()
      await new Promise((quiet) => setTimeout(quiet, 400))
      all.push(last - begun)
    }
  }
  const middle = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
  return { own: middle(own), ownMost: own.at(-1), all: middle(all), allMost: all.at(-1), keys: own.length }
}
