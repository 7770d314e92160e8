/** Tests paging over lists that misbehave. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newRequest, parts, raw, sendPath, suite, until } from './harness'
import { atStub, startStub, type Stub } from './stub'
import { step } from './story'

const home = suite()
let stub: Stub
const requests: string[] = []
let signedIn = true

/**
 * Starts a portal with pages of two items: /negative reports a negative total until the last page, /broken fails at
 * the third page, and so does /signed-out without a session. It records all requests.
 */
beforeAll(async () => {
  stub = await startStub((request, answer) => {
    const url = new URL(request.url!, 'http://stub')
    requests.push(`${request.method} ${url.pathname}`)
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

test('paging over broken lists ends with a reason, and a write is sent once', async () => {
  const page = await home.page()
  const p = parts(page)
  await atStub(page, 'Pages', stub.url)
  await step('a negative total does not end the paging', async () => {
    await sendPath(page, '/negative?size=2', /^200 OK .* 2 items$/)
    await fetchAll(page)
    await until(p.status, /^200 OK .* 6 items$/)
  })

  await step('a failed page marks the response partial, and can be resumed', async () => {
    await newRequest(page)
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

  await step('a run with an expired session leads to the sign-in, and resumes', async () => {
    await newRequest(page)
    signedIn = false
    await sendPath(page, '/signed-out?size=2', /^200 OK .* 2 items$/)
    await fetchAll(page)
    await p.response
      .getByText(/page 3 of 3 failed with 401 Unauthorized: your session has ended/)
      .first()
      .waitFor()
    await p.response.getByRole('button', { name: 'Edit portal' }).click() // the dialog explains how to sign in
    await page.getByRole('dialog', { name: 'Edit Pages' }).getByRole('button', { name: 'Cancel' }).click()
    signedIn = true
    await p.response.getByRole('button', { name: 'Resume' }).click()
    await until(p.status, /^200 OK .* 6 items$/)
    await expect.poll(() => p.response.getByRole('button', { name: 'Edit portal' }).count()).toBe(0)
  })

  await step('a POST is sent once, and has no pages to fetch', async () => {
    await newRequest(page)
    await p.path.fill('/things?size=2')
    await p.method.selectOption('POST')
    await raw(page, '{"name": "one"}')
    await page.getByRole('button', { name: 'Read-only lock' }).click()
    await until(page.getByTestId('toast'), /^Pages is unlocked/)
    requests.length = 0
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK .* 2 items$/)
    await p.request.getByRole('button', { name: 'More send options' }).click()
    await page.getByRole('menuitemcheckbox', { name: /Read-only/ }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Fetch all pages', exact: true }).count()).toBe(0)
    expect(requests.filter((r) => r.startsWith('POST'))).toEqual(['POST /things'])
  })
})
