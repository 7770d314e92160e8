/**
 * Pictures of the program as it is, in both themes, of a demo portal that the
 * script starts and ends itself. SPYGLASS_BIN is the program.
 *
 *   npm run screenshots              the README's, as ../build/pictures/NAME-THEME.webp
 *   npm run screenshots -- FOLDER    every screen in two sizes, as PNG, to look at
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const program = process.env.SPYGLASS_BIN ?? fileURLToPath(new URL('../../build/bin/spyglass', import.meta.url))
const all = process.argv[2]
const folder = all ?? fileURLToPath(new URL('../../build/pictures', import.meta.url))
const sizes = all
  ? [
      [1280, 800],
      [1920, 1080],
    ]
  : [[1440, 900]]

/** What can be looked at, in the order in which it is walked to; `readme` names its picture there. */
const screens = [
  { name: 'welcome', open: (page) => page.getByRole('button', { name: 'Welcome screen' }).click() },
  {
    name: 'overview',
    readme: 'overview',
    open: async (page) => {
      await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
      await page.getByRole('grid', { name: 'Active alerts' }).getByRole('row').nth(2).waitFor()
      await page.getByRole('region', { name: 'Selected alert' }).getByRole('img').first().waitFor()
    },
  },
  {
    name: 'alerts',
    open: async (page) => {
      await screen(page, 'Alerts')
      await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(1).click()
      await page.getByRole('region', { name: 'Alert', exact: true }).getByText('opened as').first().waitFor()
    },
  },
  {
    name: 'fleet',
    open: async (page) => {
      await screen(page, 'Fleet')
      await page.getByRole('grid', { name: 'Devices' }).getByRole('row').nth(5).waitFor()
    },
  },
  {
    name: 'device',
    readme: 'device',
    open: async (page) => {
      await page.getByRole('searchbox', { name: 'Search devices' }).fill('web-prod-01.fra')
      await page.getByRole('grid', { name: 'Devices' }).getByRole('button', { name: 'web-prod-01.fra' }).click()
      await page.getByRole('slider').nth(2).waitFor()
    },
  },
  { name: 'reports', open: (page) => screen(page, 'Reports') },
  { name: 'settings', open: (page) => screen(page, 'Settings') },
  { name: 'demo', open: (page) => screen(page, 'Demo') },
  { name: 'explorer', readme: 'explorer', open: explorer },
  { name: 'history', open: (page) => page.getByRole('tab', { name: 'History' }).click() },
  {
    name: 'palette',
    open: async (page) => {
      await page.keyboard.press('Control+K')
      await page.keyboard.type('device')
      await page.getByRole('dialog', { name: 'Command palette' }).getByRole('option').first().waitFor()
    },
  },
]

const screen = (page, name) => page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name }).click()

async function explorer(page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'API' }).click()
  await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('get device devices')
  await page
    .getByRole('treeitem', { name: /^GET \/device\/devices(?![\w/{])/ })
    .first()
    .click()
  await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('')
  await page.getByRole('tab', { name: 'Docs' }).click()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('tree', { name: 'JSON' }).getByRole('treeitem').first().waitFor()
}

const data = await mkdtemp(join(tmpdir(), 'spyglass-pictures-'))
const portal = spawn(program, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--demo'], {
  stdio: ['ignore', 'pipe', 'pipe'],
})
try {
  const [url, password] = await Promise.all([
    said(portal.stdout, /^spyglass: (http\S+)$/),
    said(portal.stderr, /^admin password: (.+)$/),
    said(portal.stderr, /(past of the demo is filled)/),
  ])
  await mkdir(folder, { recursive: true })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
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
    for (const theme of ['dark', 'light'])
      for (const [width, height] of sizes) await walk(browser, url, password, theme, width, height)
  } finally {
    await browser.close()
  }
} finally {
  const gone = new Promise((done) => portal.once('exit', done))
  if (portal.exitCode === null && portal.kill()) await gone
  await rm(data, { recursive: true, force: true })
}

/** The first line that matches. The demo's past takes some minutes. */
function said(stream, pattern) {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stream })
    lines.on('line', (line) => pattern.test(line) && resolve(pattern.exec(line)[1]))
    lines.on('close', () => reject(new Error(`${program} ended without saying ${pattern}`)))
  })
}

async function walk(browser, url, password, theme, width, height) {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('textbox', { name: 'User name' }).waitFor()
  if (all) await page.screenshot({ path: join(folder, `signin-${theme}-${width}.png`) })
  await page.getByRole('textbox', { name: 'User name' }).fill('admin')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'View' }).waitFor()
  await forget(context, url)
  await page.reload()
  for (const s of screens) {
    await s.open(page)
    await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {}) // a live view is never quite at rest
    const png = await page.screenshot()
    if (all) await writeFile(join(folder, `${s.name}-${theme}-${width}.png`), png)
    else if (s.readme) await writeFile(join(folder, `${s.readme}-${theme}.webp`), await webp(context, png))
  }
  await context.close()
}

/** What the walk before left open is gone. */
async function forget(context, url) {
  const { user, settings } = await (await context.request.get(`${url}/explorer/start`)).json()
  const headers = { 'X-CSRF-Token': user.csrfToken }
  for (const what of ['tabs', 'history']) await context.request.delete(`${url}/explorer/${what}`, { headers })
  await context.request.patch(`${url}/explorer/settings`, {
    headers,
    data: Object.fromEntries(Object.keys(settings).map((key) => [key, null])),
  })
}

/** The picture as the browser packs it: a fifth of a PNG's size, and text stays sharp. */
async function webp(context, png) {
  const page = await context.newPage()
  const url = await page.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.85)
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  await page.close()
  return Buffer.from(url.split(',')[1], 'base64')
}
