/**
 * Starts a real portal with the demo environment and a browser that looks at
 * it. Every test page collects what a page must never do: console errors,
 * warnings of Svelte, uncaught exceptions and breaches of the content security
 * policy; `close` fails the test if there was one.
 *
 * CHROMIUM is the browser, /usr/bin/chromium-headless-shell if unset.
 */
import { chromium, type Browser, type BrowserContext, type Cookie, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { password, startPortal, type Portal } from './portal'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process for all pages: starting one takes as long as loading the page.
  '--in-process-gpu',
  '--renderer-process-limit=1',
]

let started: Promise<Browser> | undefined

/** The browser of all files that run in this process; it ends with the process. */
function browserOfProcess(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
  return (started ??= chromium.launch({ executablePath, args: flags }))
}

export interface Look {
  theme?: 'dark' | 'light'
  width?: number
  height?: number
  /** How the system writes numbers and moments. */
  locale?: string
  /** An IANA name; the machine's unless given. */
  timeZone?: string
  /** For tests that add a script to the page. */
  bypassCSP?: boolean
  user?: string
  /** Without tabs, settings, variables and history that earlier tests of the file left. */
  fresh?: boolean
  /** Leave the sign-in page as it is. */
  signedOut?: boolean
  /** It stays open for the tests that follow, until `release`. */
  lasting?: boolean
}

/** The errors of a page, apart from failed responses that a test provokes. */
export type Wrongs = string[]

/** A portal for the tests of one file, and pages that must behave. */
export function suite({ demo = true } = {}) {
  let portal: Portal
  let profiles: ReturnType<typeof profilesOf>
  let open: { profile: Profile; wrongs: Wrongs; page?: Page; lasting?: boolean }[] = []
  const sessions = new Map<string, Cookie[]>() // of those who signed in, to sign in once a file

  beforeAll(async () => {
    const [one, browser] = await Promise.all([startPortal(demo), browserOfProcess()])
    portal = one
    profiles = profilesOf(browser)
  })
  afterAll(async () => {
    await profiles?.close()
    await portal?.stop()
  })
  afterEach(async () => {
    const wrongs = open.flatMap((o) => o.wrongs.splice(0))
    const done = open.filter((o) => !o.lasting)
    open = open.filter((o) => o.lasting)
    await Promise.all(done.map((o) => profiles.giveBack(o.profile)))
    expect(wrongs).toEqual([])
  })

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
    /** Kills the portal and starts it again: `url` is another one then. */
    async crash() {
      portal = await portal.crash()
    },
    /** Closes a lasting page at the end of the test. */
    release(page: Page | undefined) {
      for (const o of open) if (o.page === page) o.lasting = false
    },
    /** The portal's page in a browser profile that no other open page has, signed in by default. */
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
      // By a request: the form takes another load of the page.
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
      if (!(await ready.isVisible())) await signIn(page, user) // it ended, or the password is another one
      sessions.set(user, await context.cookies())
      return page
    },
  }
}

/** Empties the workspace of the one whose session the context has; false if it has ended. */
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

/** A browser profile, and what cannot be changed in it later. */
interface Profile {
  context: BrowserContext
  kind: string
  keeper: Page
}

/**
 * Browser profiles for one page after the other: cookies go with the page, and what the browser has loaded and
 * compiled of the portal stays.
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
      const still = process.env.SPYGLASS_E2E_CLOCK // as the portal's clock
      if (still) await context.clock.setFixedTime(still)
      all.push(context)
      // The process that renders ends with its last page: another page keeps it, and what it has compiled.
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
    console.warn = (...said) => warn(...said, new Error().stack) // a warning of Svelte says a number only
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

/** The parts of the page by the names that do not change. */
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

/** The row of an endpoint in the catalog: `GET /device/devices` and its summary. */
export function endpoint(page: Page, id: string): Locator {
  const name = new RegExp(`^${id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w/{])`)
  return parts(page).catalog.getByRole('treeitem', { name }).first()
}

/** What the open tabs are called, in their order: `GET /device/devices`. */
export async function tabNames(page: Page): Promise<string[]> {
  const texts = await parts(page).tabs.evaluateAll((tabs) =>
    tabs.map((tab) => {
      const read = tab.cloneNode(true) as Element // as it is read out: without what only the eye gets
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
  await expect.poll(() => parts(page).path.inputValue()).toBe('') // no longer the path of the tab before
}

/** Sends what is typed and waits until the status bar reads like `pattern`. */
export async function sendPath(page: Page, path: string, pattern = /^200 OK/) {
  const p = parts(page)
  await p.path.fill(path)
  await page.keyboard.press('Control+Enter')
  await until(p.status, pattern)
}

/** Waits until the element's text matches; fails with what it was. */
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

/** Adds a variable and leaves the focus in its name, which is selected. */
export async function addVariable(page: Page) {
  const { tools } = parts(page)
  await tools.getByRole('tab', { name: 'Variables' }).click()
  const names = tools.getByRole('textbox', { name: 'Variable name' })
  const before = await names.count()
  await tools.getByRole('button', { name: 'Add variable' }).click()
  await expect.poll(() => names.count()).toBe(before + 1)
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Variable name')
}

/** What is wrong with a request, at its field. */
export const problem = (page: Page) => parts(page).request.getByLabel('Problem', { exact: true })

/** Holds every sent request, or other requests of the page, until `release`, to test what happens meanwhile. */
export async function hold(page: Page, what: string | RegExp = '**/explorer/send') {
  let release = () => {}
  const held = new Promise<void>((done) => (release = done))
  let [count, over] = [0, false]
  // The route stays: one that is set right after another was removed may let the first request through.
  await page.route(what, async (route) => {
    if (over) return route.fallback()
    count++
    await held
    await route.continue().catch(() => {}) // the page may have given up on it
  })
  const free = () => {
    over = true
    release()
  }
  return { release: free, sent: () => count }
}

/** Writes a body as text into the request of the active tab. */
export async function raw(page: Page, text: string) {
  const p = parts(page)
  await p.method.focus() // leaving the path closes its suggestions
  await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
  await p.request.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}
