/**
 * Requests the longest list of a running portal in its Explorer, and prints the
 * time and memory that the page needs, in milliseconds and megabytes, as the
 * median of several pages, as one JSON object.
 *
 *   node e2e/bench-document.mjs http://127.0.0.1:8443 admin < password
 */
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'
import { longestTask } from './tasks.mjs'

const [url, user] = process.argv.slice(2)
if (!url || !user) {
  console.error('usage: node e2e/bench-document.mjs URL USER < password')
  process.exit(2)
}
const password = (await text(process.stdin)).trim()
const rounds = 5 // an odd number, for the median
const path = '/device/devices?size=1000'

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
    '--enable-precise-memory-info',
    '--js-flags=--expose-gc',
  ],
})
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(60_000)
  await signIn(context)
  const all = []
  for (let i = 0; i < rounds; i++) {
    let task
    await measure(context, async (page) => (task = await longestTask(page, () => page.evaluate(send, false))))
    const sent = await measure(context, (page) => page.evaluate(send, true))
    all.push({ ...sent, task, ...(await parse(context, sent.document)) })
  }
  console.log(
    JSON.stringify({
      bytes: all[0].bytes,
      ...Object.fromEntries(
        ['paint', 'indexed', 'find', 'parse', 'task', 'heap'].map((name) => [name, median(all.map((r) => r[name]))]),
      ),
    }),
  )
} finally {
  await browser.close()
}

async function signIn(context) {
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('textbox', { name: 'User name' }).fill(user)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'API' }).click()
  await page.getByRole('combobox', { name: 'Path' }).waitFor()
  await page.close()
}

async function fill(page, path) {
  await page.getByRole('button', { name: 'New tab' }).click()
  await page.getByRole('menuitem', { name: 'New API Request' }).click()
  await page.getByRole('combobox', { name: 'Path' }).fill(path)
  await page.keyboard.press('Escape') // closes the suggestions
}

/**
 * Measures one send in a new page that has already shown a response.
 */
async function measure(context, sending) {
  const page = await context.newPage()
  await page.goto(url)
  await fill(page, '/device/groups')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('tree', { name: 'JSON' }).getByRole('treeitem').first().waitFor()
  await fill(page, path)
  const result = await sending(page)
  await page.close()
  return result
}

/** Sends the request and measures it. Runs in the page. With `heap`, garbage collection adds a long task. */
async function send(heap) {
  const used = () => (heap ? (gc(), performance.memory.usedJSHeapSize) : 0)
  const replies = []
  const original = window.fetch
  window.fetch = async (...call) => {
    const answer = await original(...call)
    if (String(call[0]).endsWith('/explorer/send')) replies.push(answer.clone().json())
    return answer
  }
  const before = used()

  const painted = new Promise((done) => {
    const rows = new MutationObserver(() => {
      if (!document.querySelector('[role="tree"][aria-label="JSON"] [role="treeitem"]')) return
      rows.disconnect()
      requestAnimationFrame(() => {
        // the message arrives after the frame with the rows
        const frame = new MessageChannel()
        frame.port1.onmessage = () => done(performance.now())
        frame.port2.postMessage(0)
      })
    })
    rows.observe(document.body, { childList: true, subtree: true })
  })
  const begun = performance.now()
  document.querySelector('.btn.primary').click()
  const total = (await painted) - begun
  const reply = await replies[0]
  const look = async (what) => (await original(`/explorer/documents/${reply.document}/${what}`)).json()
  await look(`rows?from=${Math.max(0, reply.rowCount - 50)}&count=50`)
  const end = performance.now() - begun
  const seeking = performance.now()
  await look('find?query=long-999&from=0&case=true')
  const find = performance.now() - seeking
  await new Promise((done) => setTimeout(done, 500)) // includes the work after the first rows
  window.fetch = original
  const { connect, firstByte, download } = reply.timing
  const sent = connect + firstByte + download
  return {
    bytes: reply.bytes,
    document: reply.document,
    paint: total - sent,
    indexed: end - sent,
    find,
    heap: (used() - before) / 1e6,
  }
}

/** Measures JSON.parse of the same text, in an empty page of the same origin. */
async function parse(context, document) {
  const page = await context.newPage()
  await page.goto(`${url}/spyglass.svg`)
  const result = await page.evaluate(async (document) => {
    const body = await (await fetch(`/explorer/documents/${document}/raw`)).text()
    const begun = performance.now()
    window.parsed = JSON.parse(body)
    return { parse: performance.now() - begun }
  }, document)
  await page.close()
  return result
}

function median(values) {
  return values.toSorted((a, b) => a - b)[(values.length - 1) / 2]
}
