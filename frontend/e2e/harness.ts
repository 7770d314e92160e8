/**
 * Starts a real portal with the demo environment and a browser for it. Every
 * test page records console errors, Svelte warnings, uncaught exceptions and
 * violations of the content security policy; each of them fails the test.
 *
 * CHROMIUM is the path of the browser, by default /usr/bin/chromium-headless-shell.
 */
import { chromium, type Browser, type BrowserContext, type Cookie, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, type RunnerTestCase } from 'vitest'
import { password, startPortal, type Portal } from './portal'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // All pages share a process: its start takes as long as a page load.
  '--in-process-gpu',
  '--renderer-process-limit=1',
]

let started: Promise<Browser> | undefined

/** Returns the browser for all test files in this process. It ends with the process. */
function browserOfProcess(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
  return (started ??= chromium.launch({ executablePath, args: flags }))
}

export interface Look {
  theme?: 'dark' | 'light'
  width?: number
  height?: number
  /** The locale for numbers and times. */
  locale?: string
  /** An IANA name, by default the machine's time zone. */
  timeZone?: string
  /** Allows the test to add scripts to the page. */
  bypassCSP?: boolean
  user?: string
  /** Deletes the tabs, settings, variables and history of earlier tests. */
  fresh?: boolean
  /** Stays on the sign-in page. */
  signedOut?: boolean
  /** Keeps the page open for later tests, until `release`. */
  lasting?: boolean
}

/** The errors of a page, without failed responses: tests provoke those. */
export type Wrongs = string[]

/**
 * Runs a portal during the tests of a file. A second attempt of a test begins with a new one: what the first attempt
 * created could make it fail too.
 */
export function portalOfFile({ demo = true } = {}) {
  let portal: Portal
  const start = async () => {
    portal = await startPortal(demo)
  }
  beforeAll(start)
  beforeEach(async ({ task }) => {
    if (!isRepeated(task)) return
    await portal.stop()
    await start()
  })
  afterAll(() => portal?.stop())
  return {
    get url() {
      return portal.url
    },
    get collections() {
      return portal.collections
    },
    get filled() {
      return portal.filled
    },
    /** Kills the portal and starts it again, which changes `url`. */
    async crash() {
      portal = await portal.crash()
    },
    stop: () => portal.stop(),
  }
}

const isRepeated = (task: RunnerTestCase) => Boolean(task.result?.retryCount || task.result?.repeatCount)

/** Starts a portal for the tests of a file, and a browser. An error on any of its pages fails the test. */
export function suite(options: { demo?: boolean } = {}) {
  const portal = portalOfFile(options)
  let profiles: ReturnType<typeof profilesOf>
  let open: { profile: Profile; wrongs: Wrongs; page?: Page; lasting?: boolean }[] = []
  const sessions = new Map<string, Cookie[]>() // by user name, so that each user signs in once per file

  beforeAll(async () => {
    profiles = profilesOf(await browserOfProcess())
  })
  beforeEach(async ({ task }) => {
    if (!isRepeated(task)) return
    await Promise.all(open.splice(0).map((o) => profiles.giveBack(o.profile)))
    sessions.clear()
  })
  afterAll(() => profiles?.close())
  afterEach(async () => {
    const wrongs = open.flatMap((o) => o.wrongs.splice(0))
    const done = open.filter((o) => !o.lasting)
    open = open.filter((o) => o.lasting)
    await Promise.all(done.map((o) => profiles.giveBack(o.profile)))
    expect(wrongs).toEqual([])
  })

  return Object.assign(portal, {
    /** Closes a lasting page at the end of the test. */
    release(page: Page | undefined) {
      for (const o of open) if (o.page === page) o.lasting = false
    },
    /** Opens the portal in a browser profile that no other open page uses, signed in by default. */
    async page(look: Look = {}): Promise<Page> {
      const { user = 'admin', signedOut, fresh } = look
      const profile = await profiles.take(look)
      const { context } = profile
      const wrongs: Wrongs = []
      const entry: (typeof open)[number] = { profile, wrongs, lasting: look.lasting }
      open.push(entry)
      const page = (entry.page = await newPage(context, look, wrongs))
      if (signedOut) {
        await page.goto(portal.url)
        return page
      }
      const cookies = sessions.get(user)
      // A request instead of the form saves a page load.
      const enter = () => context.request.post(`${portal.url}/api/session`, { data: { username: user, password } })
      if (cookies) await context.addCookies(cookies)
      else await enter()
      if (fresh && !(await forget(context, portal.url))) {
        await enter()
        await forget(context, portal.url)
      }
      await page.goto(portal.url)
      const ready = page.getByRole('group', { name: 'View' })
      await ready
        .or(page.getByRole('button', { name: 'Sign in' }))
        .first()
        .waitFor()
      if (!(await ready.isVisible())) await signIn(page, user) // the session has ended, or the password has changed
      sessions.set(user, await context.cookies())
      return page
    },
  })
}

/** Clears the workspace of the signed-in user. Returns false if the session has ended. */
async function forget(context: BrowserContext, url: string): Promise<boolean> {
  const answer = await context.request.get(`${url}/explorer/start`)
  if (!answer.ok()) return false
  const { user, settings } = (await answer.json()) as { user: { csrfToken: string }; settings: Record<string, unknown> }
  const headers = { 'X-CSRF-Token': user.csrfToken }
  const none = Object.fromEntries(Object.keys(settings).map((key) => [key, null]))
  await Promise.all([
    ...['tabs', 'variables', 'history'].map((what) => context.request.delete(`${url}/explorer/${what}`, { headers })),
    context.request.patch(`${url}/explorer/settings`, { headers, data: none }),
  ])
  return true
}

/** A browser profile with its fixed options. */
interface Profile {
  context: BrowserContext
  kind: string
  keeper: Page
}

/**
 * Creates browser profiles and reuses them for later pages. A profile loses its cookies between pages, but keeps the
 * scripts that the browser has loaded and compiled.
 */
function profilesOf(browser: Browser) {
  const idle: Profile[] = []
  const all: BrowserContext[] = []
  return {
    async take({ locale = 'en-GB', timeZone, bypassCSP = false }: Look): Promise<Profile> {
      const kind = JSON.stringify([locale, timeZone, bypassCSP])
      const at = idle.findIndex((p) => p.kind === kind)
      if (at >= 0) return idle.splice(at, 1)[0]
      const context = await browser.newContext({
        locale,
        timezoneId: timeZone,
        bypassCSP,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      context.setDefaultTimeout(30_000)
      const still = process.env.SPYGLASS_E2E_CLOCK // also fixes the portal's clock
      if (still) await context.clock.setFixedTime(still)
      all.push(context)
      // The renderer process ends with its last page. The extra page keeps the process and its compiled scripts.
      return { context, kind, keeper: await context.newPage() }
    },
    async giveBack(profile: Profile) {
      await Promise.all(profile.context.pages().map((page) => page !== profile.keeper && page.close()))
      await profile.context.clearCookies()
      idle.push(profile)
    },
    close: () => Promise.all(all.map((context) => context.close())),
  }
}

async function newPage(context: BrowserContext, look: Look, wrongs: Wrongs): Promise<Page> {
  const { theme = 'dark', width = 1440, height = 900 } = look
  const page = await context.newPage()
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  page.on('pageerror', (e) => wrongs.push(`exception: ${e.message}`))
  page.on('console', (m) => {
    const wrong =
      m.type() === 'error'
        ? !m.text().startsWith('Failed to load resource')
        : m.type() === 'warning' && /svelte\.dev\/e\//.test(m.text())
    if (wrong) wrongs.push(`console: ${m.text()}`)
  })
  await page.exposeFunction('reportViolation', (text: string) => wrongs.push(text))
  await page.addInitScript(() => {
    const warn = console.warn
    console.warn = (...said) => warn(...said, new Error().stack) // a Svelte warning consists of a number
    document.addEventListener('securitypolicyviolation', (e) => {
      const report = (window as unknown as { reportViolation(text: string): void }).reportViolation
      report(`content security policy: ${e.violatedDirective} ${e.blockedURI}`)
    })
  })
  return page
}

export async function signIn(page: Page, user = 'admin', secret = password) {
  await page.getByRole('textbox', { name: 'User name' }).fill(user)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('group', { name: 'View' }).waitFor()
}

/** Returns the main parts of the page. */
export function parts(page: Page) {
  const catalog = page.getByRole('region', { name: 'Endpoint catalog' })
  const request = page.getByRole('region', { name: 'Request', exact: true })
  const response = page.getByRole('region', { name: 'Response', exact: true })
  const tools = page.getByRole('region', { name: 'Tools' })
  return {
    catalog,
    request,
    response,
    tools,
    search: catalog.getByRole('searchbox', { name: 'Search endpoints' }),
    method: page.getByRole('combobox', { name: 'Method' }),
    path: page.getByRole('combobox', { name: 'Path' }),
    send: page.getByRole('button', { name: 'Send Request' }),
    cancel: page.getByRole('button', { name: 'Cancel', exact: true }),
    status: page.getByRole('status'),
    tree: response.getByRole('tree', { name: 'JSON' }),
    palette: page.getByRole('dialog', { name: 'Command palette' }),
    command: page.getByRole('textbox', { name: 'Command' }),
    tabs: page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab'),
  }
}

/** Returns the row of an endpoint in the catalog: `GET /device/devices` and its summary. */
export function endpoint(page: Page, id: string): Locator {
  const name = new RegExp(`^${id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w/{])`)
  return parts(page).catalog.getByRole('treeitem', { name }).first()
}

/** Returns the names of the open tabs in order, such as `GET /device/devices`. */
export async function tabNames(page: Page): Promise<string[]> {
  const texts = await parts(page).tabs.evaluateAll((tabs) =>
    tabs.map((tab) => {
      const read = tab.cloneNode(true) as Element // drops the parts that screen readers skip
      for (const hidden of read.querySelectorAll('[aria-hidden="true"]')) hidden.remove()
      return read.textContent ?? ''
    }),
  )
  return texts.map((t) => t.replace(/\s+/g, ' ').trim().replace(/^API /, ''))
}

/** Opens a new, empty request. */
export async function newRequest(page: Page) {
  await page.getByRole('button', { name: 'New tab' }).click()
  await page.getByRole('menuitem', { name: 'New API Request' }).click()
  await expect.poll(() => parts(page).path.inputValue()).toBe('') // not the path of the previous tab
}

/** Sends a path and waits until the status bar matches `pattern`. */
export async function sendPath(page: Page, path: string, pattern = /^200 OK/) {
  const p = parts(page)
  await p.path.fill(path)
  await page.keyboard.press('Control+Enter')
  await until(p.status, pattern)
}

/** Waits until the element's text matches. The failure message contains the last text. */
export async function until(locator: Locator, pattern: RegExp, timeout = 30_000) {
  const end = Date.now() + timeout
  let text = ''
  do {
    text = (
      (await locator
        .first()
        .textContent()
        .catch(() => '')) ?? ''
    ).trim()
    if (pattern.test(text)) return text
    await new Promise((done) => setTimeout(done, 120))
  } while (Date.now() < end)
  expect(text).toMatch(pattern)
  return text
}

/** Adds a variable and leaves the focus in its name, with the text selected. */
export async function addVariable(page: Page) {
  const { tools } = parts(page)
  await tools.getByRole('tab', { name: 'Variables' }).click()
  const names = tools.getByRole('textbox', { name: 'Variable name' })
  const before = await names.count()
  await tools.getByRole('button', { name: 'Add variable' }).click()
  await expect.poll(() => names.count()).toBe(before + 1)
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Variable name')
}

/** Returns the problem that a field of the request shows. */
export const problem = (page: Page) => parts(page).request.getByLabel('Problem', { exact: true })

/** Holds all sends, or other requests of the page, until `release`. */
export async function hold(page: Page, what: string | RegExp = '**/explorer/send') {
  let release = () => {}
  const held = new Promise<void>((done) => (release = done))
  let [count, over] = [0, false]
  // Keeps the route: a route set right after another was removed can miss the first request.
  await page.route(what, async (route) => {
    if (over) return route.fallback()
    count++
    await held
    await route.continue().catch(() => {}) // the page may have cancelled it
  })
  const free = () => {
    over = true
    release()
  }
  return { release: free, sent: () => count }
}

/** Enters a body as text in the request of the active tab. */
export async function raw(page: Page, text: string) {
  const p = parts(page)
  await p.method.focus() // leaving the path closes its suggestions
  await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
  await p.request.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}
