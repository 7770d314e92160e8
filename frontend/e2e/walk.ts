/**
 * Walks the tasks of a new user by keyboard alone, and prints how many keys each task needs besides typed text.
 *
 *   npm run walk                  all tasks
 *   npm run walk -- -t filter     the tasks with that word in their name; o needs m and c
 *
 * A task fails if the focus is lost, or if a screen reader would not hear its result: the text of a live region that
 * was on the page before, of a new alert, or of the newly focused element.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { suite } from './harness'
import { password, startPortal, type Portal } from './portal'

const home = suite()
const program = process.env.SPYGLASS_BIN ?? fileURLToPath(new URL('../../build/bin/spyglass', import.meta.url))
const run = promisify(execFile)
const most = 25
const walked: [task: string, keys: number][] = []
let folder = ''
let away: Portal

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spyglass-walk-'))
  away = await startPortal()
})
afterAll(async () => {
  await away?.stop()
  await rm(folder, { recursive: true, force: true })
  console.log(walked.map(([task, keys]) => `${String(keys).padStart(3)} keys  ${task}`).join('\n'))
})

/** Presses keys as a user without a mouse does, and counts them. */
class Keys {
  count = 0

  constructor(readonly page: Page) {}

  async press(...keys: string[]) {
    for (const key of keys) {
      this.count++
      await this.page.keyboard.press(key)
      const kept = await this.page
        .waitForFunction(() => ![null, document.body].includes(document.activeElement as HTMLElement), null, {
          timeout: 10_000,
        })
        .catch(() => undefined)
      if (!kept) throw new Error(`${key} loses the focus`)
    }
  }

  /** Types text. Its letters do not count. */
  async type(text: string) {
    await this.page.keyboard.type(text)
  }

  /** Replaces the text of a field. */
  async replace(text: string) {
    await this.press('Control+A')
    await this.type(text)
  }

  /** Returns the role and the name of the focused element, or of its active option. */
  focus(): Promise<string> {
    return this.page.evaluate(() => window.spoken())
  }

  /** Waits until the focused element is this one. */
  async at(name: RegExp) {
    await expect.poll(() => this.focus(), { timeout: 8000 }).toMatch(name)
  }

  /** Presses a key until this element has the focus. */
  async to(name: RegExp, key = 'Tab') {
    for (let i = 0; i < most; i++) {
      await this.press(key)
      if (name.test(await this.focus())) return
    }
    throw new Error(`${most} × ${key} do not reach ${name}; the focus is on ${await this.focus()}`)
  }

  /** Runs the command of the palette that `text` finds, after the name of the expected one was selected. */
  async run(text: string, name: RegExp) {
    await this.press('Control+K')
    await this.type(text)
    await this.at(name)
    await this.press('Enter')
  }

  /** Waits until a screen reader has announced this since the last call. */
  async hear(words: RegExp, timeout = 12_000) {
    const spoken: string[] = []
    const has = async () => {
      spoken.push(...(await this.page.evaluate(() => window.heard.splice(0))))
      return spoken.some((s) => words.test(s)) ? 'heard' : spoken.slice(-6).join('\n')
    }
    await expect.poll(has, { timeout }).toBe('heard')
  }
}

declare global {
  interface Window {
    /** What a screen reader would have announced. */
    heard: string[]
    spoken(): string
  }
}

/** Runs in the page: collects the texts of live regions and of focused elements. */
function listen() {
  const regions = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"]'
  const clean = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  const known = new WeakSet<Element>()
  const say = (node: Node) => {
    const element = node instanceof Element ? node : node.parentElement
    const region = element?.closest(regions)
    if (region && (known.has(region) || region.role === 'alert')) window.heard.push(clean(region.textContent))
    if (node instanceof Element)
      for (const alert of node.querySelectorAll('[role="alert"]')) window.heard.push(clean(alert.textContent))
  }
  const nameOf = (e: Element): string => {
    const by = e.getAttribute('aria-labelledby')?.split(' ')
    const labels = (e as HTMLInputElement).labels
    return clean(
      e.ariaLabel ??
        by?.map((id) => document.getElementById(id)?.textContent).join(' ') ??
        (labels?.length ? [...labels].map((l) => l.textContent).join(' ') : undefined) ??
        (e.matches('input, textarea, select') ? (e as HTMLInputElement).placeholder : e.textContent),
    )
  }
  const kindOf = (e: Element) => e.role ?? (e instanceof HTMLInputElement ? e.type : e.localName)
  window.heard = []
  window.spoken = () => {
    const focused = document.activeElement ?? document.body
    const active = document.getElementById(focused.getAttribute('aria-activedescendant') ?? '') ?? focused
    const dialog = focused.closest('dialog')
    return `${kindOf(active)} ${nameOf(active).slice(0, 120)}${dialog ? ` in ${nameOf(dialog)}` : ''}`
  }
  document.addEventListener('focusin', () => window.heard.push(window.spoken()))
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) (type === 'characterData' ? [target] : addedNodes).forEach(say)
    for (const region of document.querySelectorAll(regions)) known.add(region)
  }).observe(document, { childList: true, subtree: true, characterData: true })
}

/** A task of the list, from the welcome screen of a new workspace unless `signedOut`. */
function task(name: string, walk: (keys: Keys, page: Page) => Promise<void>, signedOut = false) {
  test(name, async () => {
    const page = await home.page({ fresh: !signedOut, signedOut })
    await page.addInitScript(listen)
    await page.reload()
    await page.waitForLoadState('networkidle').catch(() => {})
    const keys = new Keys(page)
    await walk(keys, page)
    walked.push([name, keys.count])
    expect(keys.count).toBeLessThanOrEqual(30)
  })
}

const dataFolder = () => join(home.collections, '..')
/** Waits until a button can be pressed: Tab skips it before. */
const ready = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true, disabled: false }).first().waitFor()
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Opens an endpoint of the catalog, with the focus in its path. */
async function endpoint(keys: Keys, id: string) {
  await keys.run(id, new RegExp(`^option ${id.replace(' ', ' ?')}(?![a-z/{])`))
  await keys.at(/^combobox Path/)
}

/** Types the password of the administrator in a dialog or page that prompts for the user's name. */
async function signIn(keys: Keys) {
  await keys.at(/User name/)
  await keys.type('admin')
  await keys.press('Tab')
  await keys.type(password)
  await keys.press('Enter')
}

task(
  'a: sign in and send a sample',
  async (keys) => {
    await signIn(keys)
    await keys.at(/API Explorer/)
    await keys.to(/Dead devices/)
    await keys.press('Enter')
    await keys.at(/^combobox Path/)
    await keys.press('Control+Enter')
    await keys.hear(/^200 OK/)
  },
  true,
)

task('b: acknowledge the alerts of an incident', async (keys, page) => {
  await keys.run('core switch', /Go to Demo/)
  await keys.at(/^button Demo/)
  await keys.to(/Start ?Core switch down/, 'F6')
  await keys.press('Enter')
  await keys.at(/Show its alerts of Core switch down/)
  await keys.press('Enter')
  await page
    .getByRole('row')
    .filter({ hasText: /Critical|Error/ })
    .first()
    .waitFor({ timeout: 90_000 }) // at the next poll
  await keys.to(/^row (Critical|Error)/, 'F6')
  await keys.press('a')
  await keys.at(/^textarea Comment/)
  await keys.type('Power feed lost')
  await keys.press('Control+Enter')
  await keys.hear(/^Acknowledged (Critical|Error)/)
})

task('c: create a group, rename it, and undo that', async (keys, page) => {
  await endpoint(keys, 'POST /device/groups')
  await keys.press('F6')
  await keys.to(/name value/)
  await keys.replace('Walked')
  await keys.press('Control+Enter')
  await keys.hear(/^201 Created/)
  const rows = await page.request.get(`${home.url}/api/device/groups?filter=name:"Walked"&fields=id`)
  const [{ id }] = ((await rows.json()) as { items: { id: number }[] }).items
  await keys.press('Control+T')
  await keys.type(`/device/groups/${id}`)
  await keys.press('Escape', 'Shift+Tab')
  await keys.type('PA')
  await keys.run('raw json', /Edit body as raw JSON/)
  await keys.at(/Raw JSON body/)
  await keys.replace('{"name": "Walked on"}')
  await keys.press('Control+Enter')
  await keys.hear(/^200 OK/)
  await keys.run('undo the last write', /Undo the last write/)
  await keys.hear(/Walked/)
})

task('d: save all pages as CSV', async (keys, page) => {
  await endpoint(keys, 'GET /device/devices')
  const file = page.waitForEvent('download')
  await keys.run('all pages csv', /Save all pages as CSV/)
  await file
  await keys.hear(/^Saved \d+ items to /)
})

task('e: run a snippet in a shell', async (keys, page) => {
  await endpoint(keys, 'GET /device/devices')
  await keys.run('request as code', /Request as code/)
  await keys.at(/^tab Snippets/)
  await ready(page, 'Copy')
  await keys.to(/^button Copy$/)
  await keys.press('Enter')
  await keys.hear(/^Copied /)
  const snippet = await clipboard(page)
  await keys.to(/Create a token/)
  await keys.press('Enter')
  await keys.at(/Name.* in Token/)
  await ready(page, 'Create and copy')
  await keys.press('Enter')
  await keys.hear(/^Copied /)
  const token = await clipboard(page)
  const { stdout } = await run('bash', ['-c', `${token}\n${snippet.trim()} -s`])
  expect(JSON.parse(stdout)).toHaveProperty('items')
})

task('f: use a value in another tab', async (keys) => {
  await endpoint(keys, 'GET /device/devices')
  await keys.press('Control+Enter')
  await keys.hear(/^200 OK/)
  await keys.press('F6')
  await keys.at(/^treeitem/)
  await keys.to(/^treeitem id:/, 'ArrowDown')
  await keys.press('Shift+F10')
  await keys.to(/Save as variable/, 'ArrowDown')
  await keys.press('Enter')
  await keys.at(/^text Variable name/)
  await keys.replace('first')
  await keys.press('Enter')
  await keys.hear(/first/)
  await keys.press('Control+T')
  await keys.type('/device/devices/{{first}}')
  await keys.press('Escape', 'Control+Enter')
  await keys.hear(/^200 OK/)
})

task('g: find a request of yesterday', async (keys, page) => {
  await endpoint(keys, 'GET /device/groups')
  await keys.press('Control+Enter')
  await keys.hear(/^200 OK/)
  await page.clock.setSystemTime(Date.now() + 24 * 3600 * 1000) // makes it a request of yesterday
  await keys.press('Control+H')
  await keys.at(/Search history/)
  await keys.press('Tab', 'Enter')
  await keys.to(/^select-one Date|^select Date/)
  await keys.type('Y')
  await keys.hear(/^1 request found/)
  await keys.to(/^button GET ?\/device\/groups/)
  await keys.press('Enter', 'Control+Enter')
  await keys.hear(/^200 OK/)
})

task('h: import a Postman collection and send a request', async (keys, page) => {
  const request = (name: string, path: string) => ({
    name,
    request: {
      method: 'GET',
      url: { raw: `{{baseUrl}}${path}`, host: ['{{baseUrl}}'], path: path.slice(1).split('/') },
    },
  })
  const postman = {
    info: { name: 'Mine', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: [request('All groups', '/device/groups'), request('All alerts', '/alert/alerts')],
  }
  const file = join(folder, 'mine.postman_collection.json')
  await writeFile(file, JSON.stringify(postman))
  const chooser = page.waitForEvent('filechooser') // the browser needs a moment before it reports one
  await keys.run('import', /Import…/)
  await keys.at(/Choose a file/)
  await keys.press('Enter')
  await (await chooser).setFiles(file)
  await keys.at(/Import 2 requests/)
  await keys.press('Enter')
  await keys.at(/^treeitem Mine, 2 items/)
  await keys.hear(/^Imported 2 requests/)
  await keys.press('ArrowDown', 'Enter', 'Control+Enter')
  await keys.hear(/^200 OK/)
})

task('i: build a filter', async (keys) => {
  await endpoint(keys, 'GET /alert/alerts')
  await keys.run('add filter condition', /Add filter condition/)
  await keys.at(/^combobox Field/)
  await keys.type('sever')
  await keys.press('Enter')
  await keys.at(/^combobox Value/)
  await keys.type('crit')
  await keys.press('Enter')
  await keys.hear(/\d+ of \d+ match/)
  await keys.press('Control+Enter')
  await keys.hear(/^200 OK/)
})

task('j: watch a port', async (keys) => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  await keys.run('add device', /Add device/)
  await keys.at(/Host name or IP address/)
  await keys.type('127.0.0.1')
  await keys.to(/^switch TCP port/)
  await keys.press('Space', 'Tab')
  await keys.type(String((server.address() as AddressInfo).port))
  await keys.to(/Test connection/)
  await keys.press('Enter')
  await keys.hear(/TCP port/i)
  await keys.at(/Test connection/)
  await keys.to(/Add device in/)
  await keys.press('Enter')
  await keys.hear(/127\.0\.0\.1/)
  server.close()
})

task('k: run a report as PDF', async (keys, page) => {
  await keys.run('add report', /Add report/)
  await keys.at(/^text Name/)
  await keys.type('Walked alerts')
  await keys.to(/^radio Page/)
  await keys.press('ArrowRight')
  await keys.at(/^radio PDF/)
  await keys.press('Control+S')
  await keys.hear(/^Added Walked alerts/)
  await ready(page, 'Run now')
  await keys.to(/^button Run now/)
  await keys.press('Enter')
  await keys.hear(/is ready/, 60_000)
  const file = page.waitForEvent('download')
  await keys.to(/^a Save/)
  await keys.press('Enter')
  expect((await file).suggestedFilename()).toMatch(/\.pdf$/)
})

task('l: add a user who sees one group', async (keys) => {
  await keys.run('add role', /Add role/)
  await keys.at(/^text Name/)
  await keys.type('network only')
  await keys.to(/All devices: View/)
  await keys.press('ArrowLeft') // none
  await keys.to(/Add a group of devices/)
  await keys.type('Network')
  await keys.at(/^option Network$|^option Network in/)
  await keys.press('Enter')
  await keys.at(/^radio Network.*: View/)
  await keys.press('Control+S')
  await keys.hear(/^Added network only/)
  await keys.run('add user', /Add user/)
  await keys.at(/^text User name/)
  await keys.type('walker')
  await keys.to(/Email address/)
  await keys.type('walker@example.net')
  await keys.to(/^checkbox network only/)
  await keys.press('Space')
  await keys.to(/^password Password/)
  await keys.type('long enough for a user 7')
  await keys.press('Control+S')
  await keys.hear(/^Added walker/)
})

task('m: add a portal and compare a response with it', async (keys) => {
  await keys.run('add portal', /Add portal/)
  await keys.at(/^text Name/)
  await keys.type('Far away')
  await keys.press('Tab')
  await keys.type(away.url)
  await keys.press('Enter')
  await signIn(keys)
  await keys.hear(/^Loaded the API catalog of Far away/)
  await keys.run('switch to demo', /Switch to Demo/)
  await keys.hear(/^Portal: Demo/)
  await endpoint(keys, 'GET /device/groups')
  await keys.press('Control+Alt+Enter')
  await keys.to(/Send to both and compare/, 'Shift+Tab')
  await keys.press('Enter')
  await keys.at(/^option [~+−] (changed|added|removed) /)
})

task('n: find the cause of an alert', async (keys, page) => {
  await keys.run('open critical alerts', /Open Alerts/)
  await keys.at(/^button Alerts/)
  await keys.to(/^row Critical/, 'F6')
  await keys.press('Enter')
  await keys.at(/^region Alert|^section Alert/)
  await keys.to(/^button Story/)
  await keys.press('Enter')
  await keys.at(/^button Alerts/)
  await ready(page, 'Show on the map')
  await keys.press('F6')
  await keys.to(/^button Show on the map/)
  await keys.press('Enter')
  await keys.hear(/^button Map/)
})

task('o: copy missing groups to another portal', async (keys) => {
  await endpoint(keys, 'GET /device/groups')
  await keys.press('Control+Alt+Enter')
  await keys.at(/Compare lists/)
  await keys.press('Enter')
  await keys.at(/^option \+/)
  await keys.to(/Unlock Far away/)
  await keys.press('Enter')
  await keys.at(/Create .* in Far away/)
  await keys.press('Enter', 'Tab', 'Enter')
  await keys.hear(/^Created \d+ items? in Far away/)
})

task('p: check a response in a shell', async (keys, page) => {
  await endpoint(keys, 'GET /device/groups')
  await keys.run('response checks', /Response checks/)
  await keys.at(/^tab Checks/)
  await ready(page, 'Add check')
  await keys.to(/Add check/)
  await keys.press('Enter')
  await keys.at(/Kind of check 1/)
  await keys.press('Control+Enter')
  await keys.hear(/1 of 1 passed/)
  await keys.press('Control+S')
  await keys.at(/Name.* in Save request/)
  await keys.type('Groups')
  await keys.press('Tab')
  await keys.type('New collection')
  await keys.press('Tab')
  await keys.at(/^text New collection/)
  await keys.replace('Checked')
  await keys.press('Enter')
  await keys.hear(/^Saved in Checked/)
  const { stderr } = await run(program, ['run', 'Checked', '--data', dataFolder()])
  expect(stderr).toMatch(/^ok +GET +Groups +200, \d+ ms +1\/1 checks$/m)
})

task('q: let an agent explain an alert', async (keys, page) => {
  await keys.run('add api token', /Add API token/)
  await keys.at(/User/)
  await keys.type('admin')
  await keys.press('Tab')
  await keys.type('agent')
  await keys.press('Enter')
  await keys.at(/Copy/)
  await keys.press('Enter')
  await keys.hear(/^Copied /)
  const explanation = await explained(await clipboard(page))
  expect(explanation).toMatch(/alert/i)
})

task('r: share a screen by its link', async (keys, page) => {
  await keys.run('open critical alerts', /Open Alerts/)
  await keys.at(/^button Alerts/)
  await keys.press('Control+Shift+L')
  await keys.hear(/^Link copied/)
  expect(await clipboard(page)).toMatch(/#monitor\/alerts/)
})

/** Returns what a client of the Model Context Protocol hears about the worst alert. */
async function explained(token: string): Promise<string> {
  const rows = await fetch(`${home.url}/api/alert/alerts?sort=-severity&size=1&fields=id`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const [{ id }] = ((await rows.json()) as { items: { id: string }[] }).items
  const env = { ...process.env, SPYGLASS_TOKEN: token }
  const child = spawn(program, ['mcp', '--portal', home.url], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'walk', version: '1' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo } })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: { name: 'explain_alert', arguments: { alert_id: id } } })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const answer = JSON.parse(line) as { id?: number; result?: unknown; error?: { message: string } }
      if (answer.id === 2) return JSON.stringify(answer.result ?? answer.error)
    }
    return ''
  } finally {
    child.kill()
  }
}
