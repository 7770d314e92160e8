import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, raw, sendPath, signIn, suite, until } from './harness'
import { step } from './story'

const portal = suite()
const run = promisify(execFile)

async function history(page: Page) {
  const { tools } = parts(page)
  await tools.getByRole('tab', { name: 'History' }).click()
  return {
    search: tools.getByRole('searchbox', { name: 'Search history' }),
    rows: tools.getByRole('listitem'),
    row: (name: string) =>
      tools
        .getByRole('listitem')
        .filter({ has: page.locator(`[aria-label="Delete: ${name}"]`) })
        .first(),
    select: (name: string) => tools.getByRole('checkbox', { name: `Select: ${name}` }).first(),
  }
}

/** Creates a token for the signed-in user through the API. */
function makeToken(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const start = (await (await fetch('/explorer/start')).json()) as { user: { id: number; csrfToken: string } }
    const answer = await fetch(`/api/setting/admins/${start.user.id}/apitokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': start.user.csrfToken },
      body: JSON.stringify({ note: 'script' }),
    })
    const made = (await answer.json()) as { bearer?: string; token?: string }
    return (made.bearer ?? made.token)!
  })
}

test('the history is searched by response text and filters, and shows matches', async () => {
  const page = await portal.page({ width: 1280, height: 800 })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/setting/version')
  await sendPath(page, '/device/groups')
  await sendPath(page, '/device/devices/999999999', /^404/)
  const h = await history(page)
  const group = await page.evaluate(
    async () =>
      ((await (await fetch('/api/device/groups?size=1&sort=-id')).json()) as { items: { name: string }[] }).items[0]
        .name,
  )
  await h.search.fill(group)
  await h.row('GET /setting/version').waitFor({ state: 'detached' })
  await h.row('GET /device/groups').getByText('response').waitFor()
  await expect.poll(() => h.rows.count()).toBe(1)
  const [hit, line] = await Promise.all([h.rows.locator('mark').boundingBox(), h.rows.locator('.found').boundingBox()])
  expect(hit!.x + 60, 'what was looked for is in sight').toBeLessThan(line!.x + line!.width)

  await h.search.fill('')
  await p.tools.getByRole('button', { name: 'Filter', exact: true }).click()
  for (const choice of await p.tools.getByRole('group', { name: 'Filter history' }).getByRole('combobox').all()) {
    expect(
      await choice.evaluate((e) => {
        const line = document.createElement('canvas').getContext('2d')!
        line.font = getComputedStyle(e).font
        return e.clientWidth - line.measureText((e as HTMLSelectElement).selectedOptions[0].text).width
      }),
      'room for what is chosen, and the arrow',
    ).toBeGreaterThan(24)
  }
  await p.tools.getByRole('combobox', { name: 'Status' }).selectOption('4')
  await h.row('GET /setting/version').waitFor({ state: 'detached' })
  await expect.poll(() => h.rows.count()).toBe(1)
  await p.tools.getByRole('combobox', { name: 'Date' }).selectOption('range')
  await p.tools.getByLabel('To', { exact: true }).fill('2001-01-01')
  await p.tools.locator('b', { hasText: 'No results' }).waitFor()
  await p.tools.getByRole('button', { name: 'Reset filter' }).first().click()
  await expect.poll(() => h.rows.count()).toBe(3)
})

test('a request in the history is pinned, deleted, restored, and opened with its response', async () => {
  const page = await portal.page({ user: 'operator' })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/setting/version')
  const h = await history(page)
  const name = 'GET /setting/version'
  await h.row(name).hover()
  await p.tools.getByRole('button', { name: `Pin: ${name}` }).click()
  await h.row(name).getByText('pinned').waitFor()
  await p.tools.getByRole('button', { name: `Delete: ${name}` }).click()
  await h.row(name).waitFor({ state: 'detached' })
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await h.row(name).getByText('pinned').waitFor()
  await page.keyboard.press('Control+t')
  await h.row(name).getByRole('button', { name: /^GET/ }).click()
  await until(p.status, /^200 OK/)
  await expect.poll(() => p.path.inputValue()).toBe('/setting/version')
  await h.row(name).hover()
  await p.tools.getByRole('button', { name: `More: ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Copy as Python' }).click()
  await page.getByTestId('toast').getByText('Copied the request as Python').waitFor()

  // After a new sign-in, the same panel is open.
  const panel = () =>
    page.evaluate(
      async () => ((await (await fetch('/explorer/start')).json()) as { settings: { panel?: string } }).settings.panel,
    )
  await expect.poll(panel).toBe('history')
  await page.context().clearCookies()
  await page.reload()
  await signIn(page, 'operator')
  await h.row(name).waitFor()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('urllib.request.Request(')
})

test('several requests become a script with its variables at the top', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await page.evaluate(async () => {
    const start = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
    for (const body of [
      { name: 'which', value: '1' },
      { name: 'hush', value: 'pLaNtEd-53cr3t', secret: true },
    ]) {
      await fetch('/explorer/variables', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': start.user.csrfToken },
        body: JSON.stringify(body),
      })
    }
  })
  await newRequest(page)
  await sendPath(page, '/device/groups/{{which}}')
  await sendPath(page, '/device/groups?filter=name~"{{hush}}"')
  await sendPath(page, '/device/devices/999999999', /^404/)
  const h = await history(page)
  await expect.poll(() => h.rows.count()).toBe(3)
  await h.rows.first().hover()
  await h.select('GET /device/devices/999999999').check()
  await h.row('GET /device/groups/{{which}}').hover()
  await h.select('GET /device/groups/{{which}}').click({ modifiers: ['Shift'] })
  await p.tools.getByText('3 selected').waitFor()
  await p.tools.getByRole('button', { name: 'Script…' }).click()
  const dialog = page.getByRole('dialog', { name: '3 requests as one script' })
  const token = await makeToken(page)
  for (const [label, program, flag] of [
    ['Bash', 'bash', '-c'],
    ['Python', 'python3', '-c'],
    ['JavaScript', 'node', '-e'],
  ]) {
    await dialog.getByRole('radio', { name: label }).check({ force: true })
    const first = { Bash: 'set -euo pipefail', Python: 'import urllib.request', JavaScript: 'const variables' }[label]!
    await dialog.getByText(first).first().waitFor()
    await dialog.getByRole('button', { name: 'Copy script' }).click()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    expect(code).not.toContain('pLaNtEd')
    const { stderr } = await run(program, [flag, code], {
      env: { ...process.env, SPYGLASS_TOKEN: token, SPYGLASS_HUSH: 'x y&ü' },
    })
    expect(stderr.trim().split('\n')).toEqual([
      '1. GET /device/groups/{{which}}: 200',
      '2. GET /device/groups: 200',
      '3. GET /device/devices/999999999: 404',
    ])
    await expect(
      run(program, [flag, code], { env: { ...process.env, SPYGLASS_TOKEN: 'wrong', SPYGLASS_HUSH: 'x' } }),
    ).rejects.toThrow('returned 401, expected 200')
  }
  await dialog.getByRole('radio', { name: 'Runbook' }).check({ force: true })
  const runbook = page.getByRole('dialog', { name: '3 requests as one runbook' })
  await runbook.getByText('Before you begin').waitFor()
  const saved = page.waitForEvent('download')
  await runbook.getByRole('button', { name: 'Save to file' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toBe('runbook.md')
  expect(await readFile(await file.path(), 'utf8')).toContain('Expect status 404.')
})

test('selected requests are saved as HAR, and the keyboard selects and deletes', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  await newRequest(page)
  for (const path of ['/setting/version', '/device/groups?size=1', '/device/devices?size=1']) await sendPath(page, path)
  const h = await history(page)
  await step('selected requests are saved as HAR with their responses', async () => {
    await h.select('GET /setting/version').check()
    await h.select('GET /device/groups').check()
    const bar = page.getByRole('group', { name: 'Selected requests' })
    expect(await bar.getByText('2 selected').evaluate((e) => e.scrollWidth <= e.clientWidth)).toBe(true)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      bar.getByRole('button', { name: 'Save as HAR' }).click(),
    ])
    const { log } = JSON.parse(await readFile(await file.path(), 'utf8')) as {
      log: { entries: { request: { url: string }; response: { content: { text: string } } }[] }
    }
    expect(
      log.entries.map((e) => [
        new URL(e.request.url).pathname,
        Object.keys(JSON.parse(e.response.content.text) as object).length > 0,
      ]),
    ).toEqual([
      ['/api/setting/version', true],
      ['/api/device/groups', true],
    ])
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
  })

  await step('the keyboard does the same', async () => {
    await h.rows.first().getByRole('button', { name: /^GET/ }).focus()
    await page.keyboard.press('Shift+ArrowDown')
    await p.tools.getByText('2 selected').waitFor()
    await page.keyboard.press('Control+a')
    await p.tools.getByText('3 selected').waitFor()
    await page.keyboard.press('Escape')
    await p.tools.getByText('3 selected').waitFor({ state: 'detached' })
    await page.keyboard.press('Delete')
    await expect.poll(() => h.rows.count()).toBe(2)
  })
})

test('snippets follow the draft, remember the language, and are saved', async () => {
  const page = await portal.page()
  const p = parts(page)
  await newRequest(page)
  await p.path.fill('/setting/version')
  await p.response.getByRole('tab', { name: 'Snippets' }).click()
  await p.response.getByRole('radio', { name: 'Go', exact: true }).check({ force: true })
  const code = p.response.getByRole('group', { name: 'Go snippet' })
  await until(code, /setting\/version/)
  await p.path.fill('/device/groups')
  await until(code, /device\/groups/)
  const saved = page.waitForEvent('download')
  await p.response.getByRole('button', { name: 'Save', exact: true }).click()
  expect((await saved).suggestedFilename()).toBe('request.go')
  const settings = page.waitForResponse(
    (r) => r.url().includes('/explorer/settings') && r.request().method() === 'PATCH',
  )
  let goOn = () => {}
  const held = new Promise<void>((done) => (goOn = done))
  await page.route('**/explorer/snippet*', async (route) => {
    await held
    await route.continue()
  })
  await p.response.getByRole('radio', { name: 'JavaScript' }).check({ force: true })
  await settings
  await until(code, /^package main/) // the label changes only with the code
  goOn()
  await until(p.response.getByRole('group', { name: 'JavaScript snippet' }), /fetch\(/)

  await step('snippets keep line continuations and use the literals of their language', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    await p.method.selectOption('POST')
    await raw(page, '{"name": "it\'s $HOME", "disableAlerting": true, "link": null}')
    await p.response.getByRole('tab', { name: 'Snippets' }).click()
    const snippet = async (language: string, has: RegExp) => {
      await p.response.getByRole('radio', { name: language, exact: true }).check({ force: true })
      return until(p.response.getByRole('group', { name: `${language} snippet` }), has)
    }
    const curl = await snippet('cURL', /^curl .*device\/devices.* \\$/m)
    const lines = curl.slice(curl.indexOf('curl ')).trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/ \\$/)
    const python = await snippet('Python', /^import .*device\/devices/ms)
    // JSON literals that Python does not have
    expect(python.replace(/r'''.*?'''/gs, 'text')).not.toMatch(/\b(true|null)\b/)
    const groovy = await snippet('Groovy', /(openConnection|HttpClient)/)
    expect(groovy).toContain(`'{"name": "it\\'s $HOME"`) // Groovy does not interpolate in single quotes
  })
})
