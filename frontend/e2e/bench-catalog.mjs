/**
 * Types into the catalog search of a running portal, with its endpoints
 * multiplied to 500, and prints the median and the longest time from a key press
 * to the finished layout, in milliseconds, as JSON.
 *
 *   node e2e/bench-catalog.mjs http://127.0.0.1:8443 admin < password
 */
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'

const [url, user] = process.argv.slice(2)
if (!url || !user) {
  console.error('usage: node e2e/bench-catalog.mjs URL USER < password')
  process.exit(2)
}
const password = (await text(process.stdin)).trim()
const wanted = 500

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(60_000)
  await page.route('**/explorer/catalog*', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: many(await answer.json()) })
  })
  await page.goto(url)
  await page.getByRole('textbox', { name: 'User name' }).fill(user)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'API' }).click()
  const search = page.getByRole('searchbox', { name: 'Search endpoints' })
  await search.waitFor()
  await page.getByRole('tree', { name: 'Endpoints' }).getByRole('treeitem').first().waitFor()
  console.log(JSON.stringify(await search.evaluate(type)))
} finally {
  await browser.close()
}

/** Repeats the endpoints of a catalog, each under its own path. */
function many(catalog) {
  const have = catalog.categories.flatMap((c) => c.endpoints).length
  for (const c of catalog.categories) {
    const own = c.endpoints
    c.endpoints = Array.from({ length: Math.ceil(wanted / have) }, (_, n) =>
      own.map((e) => (n ? { ...e, id: `${e.id}/v${n}`, path: `${e.path}/v${n}` } : e)),
    ).flat()
  }
  let left = wanted
  for (const c of catalog.categories) {
    c.endpoints = c.endpoints.slice(0, left)
    left -= c.endpoints.length
  }
  return catalog
}

/** Types queries into the search. Runs in the page. */
async function type(input) {
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  const times = []
  for (const query of ['device', 'delete group', 'get alert v3', 'prefcoll', 'address of a device']) {
    for (let n = 0; n <= query.length; n++) {
      await new Promise(requestAnimationFrame)
      await new Promise((idle) => setTimeout(idle))
      const begun = performance.now()
      set.call(input, query.slice(0, n))
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await Promise.resolve() // the page changes in a microtask
      await Promise.resolve()
      document.body.getBoundingClientRect() // forces the layout
      times.push(performance.now() - begun)
    }
  }
  times.sort((a, b) => a - b)
  return { median: times[Math.floor(times.length / 2)], longest: times.at(-1), keys: times.length }
}
