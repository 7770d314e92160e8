import { expect, test } from 'vitest'
import { addVariable, endpoint, hold, newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('Ctrl+Enter sends the enabled parameters and the values of variables', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('Ctrl+Enter sends, the status bar shows the response and the tree shows it', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices', /^200 OK · \d+ ms · \d+ B · \d+ items$/)
    const rows = p.tree.getByRole('treeitem')
    await rows.filter({ hasText: 'total' }).first().waitFor()
    await expect.poll(() => rows.count()).toBeGreaterThan(5)
  })

  await step('a disabled parameter is not sent', async () => {
    await newRequest(page)
    await p.search.fill('get device devices')
    await endpoint(page, 'GET /device/devices').click()
    const query = p.request.getByRole('region', { name: 'Query parameters' })
    const size = query.getByRole('switch', { name: 'size on' })
    await query.getByRole('textbox', { name: 'size value' }).fill('3')
    if ((await size.getAttribute('aria-checked')) !== 'true') await size.click()
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK .* 3 items$/)
    await size.click()
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK .* (?!3 )\d+ items$/)
  })

  await step('a POST creates and returns 201', async () => {
    await newRequest(page)
    await p.search.fill('post devices')
    await endpoint(page, 'POST /device/devices').click()
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    const editor = p.request.locator('.cm-content')
    await editor.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(
      `{"name": "192.0.2.${Date.now() % 250}", "displayName": "e2e-${Date.now()}", "preferredCollectorId": 1}`,
    )
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^201 Created · \d+ ms · \d+ B$/)
  })

  await step('an error of the portal is a response like any other', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices/999999999', /^404 Not Found/)
    await p.tree.getByText('errorMessage').waitFor()
  })

  await step('a variable in the path is resolved; an unknown one stops the sending', async () => {
    await newRequest(page)
    await addVariable(page)
    await page.keyboard.insertText('groupId')
    const saved = page.waitForResponse(
      (r) => r.request().method() === 'PATCH' && (r.request().postData() ?? '').includes('"1"'),
    )
    await p.tools.getByRole('textbox', { name: 'Value of groupId' }).fill('1')
    await saved
    await sendPath(page, '/device/groups/{{groupId}}')
    await p.path.fill('/device/groups/{{nobodySetThis}}')
    await page.keyboard.press('Control+Enter')
    await p.response.getByText('{{nobodySetThis}} is not set').waitFor()
    await p.response.getByText('Nothing was sent.').waitFor()
  })
})

test('requests run in parallel and during edits, are sent once, and can be cancelled', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('a second Ctrl+Enter does not send twice, Escape cancels and says so', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    const held = await hold(page)
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^Sending…$/)
    await page.keyboard.press('Control+Enter')
    await p.cancel.waitFor()
    await expect.poll(held.sent).toBe(1)
    await page.keyboard.press('Escape')
    await until(p.status, /^Cancelled/)
    await held.release()
    expect(held.sent()).toBe(1)
  })

  await step('edits made while a request runs survive its response', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    const held = await hold(page)
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^Sending…$/)
    await p.path.fill('/device/groups')
    await held.release()
    await until(p.status, /^200 OK/)
    await expect.poll(() => p.path.inputValue()).toBe('/device/groups')
    await p.response.getByText('Edited since sent').waitFor()
  })

  await step('any tab sends while another runs', async () => {
    await newRequest(page)
    const own = (await p.tabs.count()) - 1
    await p.path.fill('/device/devices')
    let first = true
    let release = () => {}
    const gate = new Promise<void>((done) => (release = done))
    await page.route('**/explorer/send', async (route) => {
      if (first) {
        first = false
        await gate
      }
      await route.continue()
    })
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^Sending…$/)
    await newRequest(page)
    await sendPath(page, '/setting/version')
    release()
    await p.tabs.nth(own).click()
    await until(p.status, /^200 OK .* items$/)
  })
})

test('a failed send keeps the previous response, is announced once, and can be retried', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=3')
  await p.path.fill('/device/devices/{{nobody}}')
  await page.keyboard.press('Control+Enter')
  const failed = p.response.getByRole('group', { name: 'Failed request' })
  await until(failed, /is not set.*Nothing was sent\. The previous response is below\./s)
  await p.tree.getByRole('treeitem', { name: /^total/ }).waitFor()
  await until(p.status, /^Failed: .*nobody/)
  expect(await page.getByRole('alert').count()).toBe(0)
  await failed.getByRole('button', { name: 'Try again' }).click()
  await until(p.status, /^Failed: .*nobody/)
  await sendPath(page, '/device/groups')
  expect(await failed.count()).toBe(0)

  await page.route(
    '**/explorer/send',
    async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        json: { ...(await response.json()), status: 500, statusText: 'Internal Server Error' },
      })
    },
    { times: 1 },
  )
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^500/)
  await p.response.getByRole('button', { name: 'Try again' }).click()
  await until(p.status, /^200 OK/)
})
