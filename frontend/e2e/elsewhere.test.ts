/**
 * Tests what only remote portals have: status 429, an untrusted certificate, a proxy, and a catalog that marks
 * deprecated endpoints.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoint, newRequest, parts, sendPath, suite, until } from './harness'
import { atStub, portalForm, startStub, switcher, type Stub } from './stub'
import { step } from './story'

/** A self-signed certificate for 127.0.0.1, valid until 2126. */
const tls = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIc1WxhhLsRNOcJeZ
z2UsS2C9o0pPe/MdErcN/5YwEMOhRANCAATks3heWWsf2+H9SeiiJKYF1VlZyAvS
YGQ3RAM3QcOijBv1DBGiZ49Jlumrmh319mqoD80TNoM1khYFUkUNRThY
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBpTCCAUqgAwIBAgIUeNlUxuPIRtSKr6TJLcA+a1FxGD4wCgYIKoZIzj0EAwIw
HjEcMBoGA1UEAwwTYSBzdHViIG9mIHRoZSB0ZXN0czAgFw0yNjExMjMxNjQ1MTda
GA8yMTI2MTAzMDE2NDUxN1owHjEcMBoGA1UEAwwTYSBzdHViIG9mIHRoZSB0ZXN0
czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOSzeF5Zax/b4f1J6KIkpgXVWVnI
C9JgZDdEAzdBw6KMG/UMEaJnj0mW6auaHfX2aqgPzRM2gzWSFgVSRQ1FOFijZDBi
MB0GA1UdDgQWBBTGUPPpRyl1shdmj49BaAiRwSJMUjAfBgNVHSMEGDAWgBTGUPPp
Ryl1shdmj49BaAiRwSJMUjAPBgNVHRMBAf8EBTADAQH/MA8GA1UdEQQIMAaHBH8A
AAEwCgYIKoZIzj0EAwIDSQAwRgIhAJZDz6kY2h6rhdhK1MFaQh6J6WUREzhDm1/4
M2A1hI5lAiEAgUu+vHj5afSfXxkK4yoHerEP3igeUSWwtlCwS9JCL90=
-----END CERTIFICATE-----
`,
}

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Stub', version: '1' },
  paths: {
    '/things': {
      get: { tags: ['Things'], summary: 'List things', responses: {} },
      post: { tags: ['Things'], summary: 'Make a thing', 'x-right': 'write on settings', responses: {} },
    },
    '/stuff': { get: { tags: ['Things'], summary: 'List stuff', deprecated: true, responses: {} } },
  },
}

const home = suite()
let plain: Stub
let secure: Stub
let refuse = 0 // the number of requests to /busy that still get a 429
const requested: string[] = []

function answer(request: IncomingMessage, response: ServerResponse) {
  requested.push(request.url!)
  const path = new URL(request.url!, 'http://stub').pathname
  const json = (status: number, body: unknown, headers = {}) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  if (path === '/openapi.json') return json(200, openapi)
  if (path === '/busy' && refuse-- > 0) return json(429, { errorMessage: 'slowly' }, { 'Retry-After': '2' })
  if (path === '/late')
    return setTimeout(() => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('[1,')
      setTimeout(() => response.end('2]'), 200)
    }, 100)
  json(200, {
    createdOn: 1795187021,
    size: 1795187021,
    url: 'https://example.com/a?b=c',
    script: 'javascript:alert(1)',
  })
}

beforeAll(async () => {
  ;[plain, secure] = await Promise.all([startStub(answer), startStub(answer, tls)])
})
afterAll(() => {
  plain?.stop()
  secure?.stop()
})

const row = (page: Page, key: string) => parts(page).tree.getByRole('treeitem', { name: new RegExp(`^${key} ?: `) })

test('the catalog of a remote portal shows marks, times are shown, and a 429 is retried', async () => {
  const page = await home.page({ timeZone: 'Asia/Kolkata' })
  const p = parts(page)
  await step('the catalog marks deprecated and administrator-only endpoints', async () => {
    await atStub(page, 'Marks', plain.url)
    await page.getByText(`Loaded the API catalog of Marks from ${plain.url}/openapi.json`).waitFor()
    await until(endpoint(page, 'GET /stuff'), /List stuff · deprecated/)
    await until(endpoint(page, 'POST /things'), /Administrators only/)
    expect(await endpoint(page, 'GET /things').textContent()).not.toMatch(/deprecated|Administrators/)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/marks.png` })
  })

  await step('an epoch is shown as local time, and a link opens in the browser', async () => {
    await newRequest(page)
    // no session header, because this portal needs no sign-in
    await until(parts(page).request, /Accept and User-Agent are added automatically/)
    await sendPath(page, '/one')
    await until(row(page, 'createdOn'), /1795187021\s*20 Nov 2026, 20:33:41$/)
    await until(row(page, 'size'), /1795187021$/)
    expect(await row(page, 'script').getByRole('link').count()).toBe(0)
    const [outside] = await Promise.all([
      page.context().waitForEvent('page'),
      row(page, 'url').getByRole('link').click(),
    ])
    await expect.poll(() => outside.url()).toMatch(/^(https:\/\/example\.com\/a\?b=c|chrome-error:)/)
    expect(await outside.evaluate(() => window.opener as unknown)).toBeNull()
    await outside.close()
    await until(row(page, 'size'), /1795187021$/) // this page does not navigate
  })

  await step('a 429 is retried after a countdown, unless it is cancelled', async () => {
    await newRequest(page)
    refuse = 1
    await sendPath(page, '/busy', /^429 Too Many Requests/)
    await p.response.getByText(/Too many requests\. Retrying in [12] s/).waitFor()
    await until(p.status, /^200 OK/)

    refuse = 1
    requested.length = 0
    await page.keyboard.press('Control+Enter')
    await p.response.getByRole('button', { name: 'Cancel' }).click()
    await until(p.status, /^429/)
    await expect.poll(() => p.response.getByText('Retrying in').count()).toBe(0)
    expect(requested).toEqual(['/busy'])
  })

  await step('the response time has a breakdown', async () => {
    await newRequest(page)
    await sendPath(page, '/late')
    await page.getByRole('button', { name: 'Timing' }).focus()
    const told = (await page.getByRole('tooltip').innerText()).split(/\s*\n\s*/)
    const ms = (name: string) => Number.parseInt(told[told.indexOf(name) + 1])
    expect(told.filter((_, i) => i % 2 === 0)).toEqual(['Connect', 'First byte', 'Download', 'Size'])
    expect(ms('First byte')).toBeGreaterThanOrEqual(95)
    expect(ms('Download')).toBeGreaterThanOrEqual(195)
    expect(told.at(-1)).toBe('5 B')
    await page.keyboard.press('Escape')
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
  })
})

test('a portal is reached with a trusted certificate and through a proxy', async () => {
  const page = await home.page()
  await step('an untrusted certificate is shown, and trusted only on request', async () => {
    const form = await portalForm(page, 'Unknown', secure.url)
    await form.getByLabel('Sign-in method').selectOption('none')
    requested.length = 0
    await form.getByRole('button', { name: 'Test connection' }).click()
    await until(form.getByRole('alert'), /certificate/)
    expect(requested).toEqual([])
    await until(form.locator('dl'), /127\.0\.0\.1.*a stub of the tests.*([0-9A-F]{2}:){31}/s)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/certificate.png` })
    await form.getByRole('button', { name: 'Trust this certificate' }).click()
    await until(form.locator('.result'), /Connected\./)
    await form.getByRole('button', { name: 'Add portal' }).click()
    await form.waitFor({ state: 'detached' })
    await until(switcher(page), /Unknown/)
    await newRequest(page)
    await sendPath(page, '/one')
  })

  await step('a portal is reached through its proxy', async () => {
    await atStub(page, 'Behind', 'http://portal.invalid/api', async (form) => {
      await form.getByText('Connection', { exact: true }).click()
      await form.getByLabel('Proxy', { exact: true }).selectOption('address')
      await form.getByLabel('Proxy address').fill(plain.url)
    })
    await sendPath(page, '/one')
    expect(requested).toContain('http://portal.invalid/api/one')
  })
})
