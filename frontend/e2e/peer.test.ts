/**
 * What the peer got wrong and no other file looks at in the page: paging over lists that misbehave, and snippets that
 * do not run.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newRequest, parts, raw, sendPath, suite, until } from './harness'
import { atStub, startStub, type Stub } from './stub'

const home = suite()
let stub: Stub
const asked: string[] = []
let signedIn = true

/**
 * A portal of two-item pages: /negative reports a negative total until the last page, /broken fails at the third
 * page, and /signed-out without a session; it counts the writes.
 */
beforeAll(async () => {
  stub = await startStub((request, answer) => {
    const url = new URL(request.url!, 'http://stub')
    asked.push(`${request.method} ${url.pathname}`)
    const offset = Number(url.searchParams.get('offset') ?? 0)
    const size = Number(url.searchParams.get('size') ?? 2)
    const ids = Array.from({ length: Math.max(0, Math.min(size, 6 - offset)) }, (_, i) => ({ id: offset + i + 1 }))
    const broken = url.pathname.endsWith('/broken') && offset >= 4
    if (url.pathname.endsWith('/signed-out') && offset >= 4 && !signedIn)
      return void answer
        .writeHead(401, { 'Content-Type': 'application/json' })
        .end('{"errorMessage":"your session has ended"}')
    answer.writeHead(broken ? 500 : 200, { 'Content-Type': 'application/json' })
    const total = url.pathname.endsWith('/negative') ? (offset < 4 ? -1 - offset : 6) : 6
    answer.end(
      JSON.stringify(
        broken ? { errorMessage: 'the third page is missing' } : { total, searchId: null, items: ids, data: null },
      ),
    )
  })
})
afterAll(() => stub?.stop())

async function fetchAll(page: Page) {
  await parts(page).request.getByRole('button', { name: 'More send options' }).click()
  await page.getByRole('menuitem', { name: 'Fetch all pages', exact: true }).click()
}

test('a negative total does not end the paging', async () => {
  const page = await home.page()
  await atStub(page, 'Negative', stub.url)
  const p = parts(page)
  await sendPath(page, '/negative?size=2', /^200 OK .* 2 items$/)
  await fetchAll(page)
  await until(p.status, /^200 OK .* 6 items$/)
})

test('a page that fails is no success: what came is marked partial, and goes on', async () => {
  const page = await home.page()
  await atStub(page, 'Broken', stub.url)
  const p = parts(page)
  await sendPath(page, '/broken?size=2', /^200 OK .* 2 items$/)
  await fetchAll(page)
  await p.response
    .getByText(/page 3 of 3 .*the third page is missing/)
    .first()
    .waitFor()
  await until(p.status, /4 items/)
  await expect.poll(() => p.status.innerText()).toMatch(/partial/)
  await p.response.getByRole('button', { name: 'Resume' }).waitFor()
})

test('a run that meets the end of the session leads to the sign-in, and goes on', async () => {
  const page = await home.page()
  await atStub(page, 'Ended', stub.url)
  const p = parts(page)
  signedIn = false
  await sendPath(page, '/signed-out?size=2', /^200 OK .* 2 items$/)
  await fetchAll(page)
  await p.response
    .getByText(/page 3 of 3 failed with 401 Unauthorized: your session has ended/)
    .first()
    .waitFor()
  await p.response.getByRole('button', { name: 'Edit portal' }).click() // which says how to sign in there
  await page.getByRole('dialog', { name: 'Edit Ended' }).getByRole('button', { name: 'Cancel' }).click()
  signedIn = true
  await p.response.getByRole('button', { name: 'Resume' }).click()
  await until(p.status, /^200 OK .* 6 items$/)
  await expect.poll(() => p.response.getByRole('button', { name: 'Edit portal' }).count()).toBe(0)
})

test('a POST is sent once, and has no pages to fetch', async () => {
  const page = await home.page()
  await atStub(page, 'Posts', stub.url)
  const p = parts(page)
  await p.path.fill('/things?size=2')
  await p.method.selectOption('POST')
  await raw(page, '{"name": "one"}')
  await page.getByRole('button', { name: 'Read-only lock' }).click()
  await until(page.getByTestId('toast'), /^Posts is unlocked/)
  asked.length = 0
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK .* 2 items$/)
  await p.request.getByRole('button', { name: 'More send options' }).click()
  await page.getByRole('menuitemcheckbox', { name: /Read-only/ }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Fetch all pages', exact: true }).count()).toBe(0)
  expect(asked.filter((a) => a.startsWith('POST'))).toEqual(['POST /things'])
})

test('snippets keep the continuations of their lines, and each language its own words', async () => {
  const page = await home.page()
  const p = parts(page)
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
  expect(python.replace(/r'''.*?'''/gs, 'text')).not.toMatch(/\b(true|null)\b/) // which JSON says, and Python does not
  const groovy = await snippet('Groovy', /(openConnection|HttpClient)/)
  expect(groovy).toContain(`'{"name": "it\\'s $HOME"`) // in single quotes, where Groovy fills nothing in
})
