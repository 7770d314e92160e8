import { expect, test } from 'vitest'
import { endpoint, newRequest, parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('editing the body as form and as JSON loses nothing', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('form and raw JSON edit the same body, and numbers keep their spelling', async () => {
    await newRequest(page)
    await p.search.fill('post device devices')
    await endpoint(page, 'POST /device/devices').click()
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    const editor = p.request.locator('.cm-content')
    await editor.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(
      '{"a": 1.50, "big": 9007199254740993, "a": "twice", "on": true, "in": {"deep": [1e3]}}',
    )
    await p.request.getByRole('tab', { name: 'Form' }).click()
    const body = p.request.getByRole('region', { name: 'Body' })
    await body.getByRole('textbox', { name: 'big value' }).fill('9007199254740995')
    await body.getByRole('switch', { name: 'on value' }).click()
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    await expect
      .poll(() => p.request.locator('.cm-content').innerText())
      .toBe('{"a": 1.50, "big": 9007199254740995, "a": "twice", "on": false, "in": {"deep": [1e3]}}')
  })

  await step('invalid JSON is kept, and its error is located', async () => {
    await newRequest(page)
    await p.method.selectOption('POST')
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    await p.request.locator('.cm-content').click()
    await page.keyboard.insertText('{"a": 01}')
    await p.request.getByText('Line 1, column 7').waitFor()
    await p.request.getByRole('tab', { name: 'Form' }).click()
    await p.request.getByText('The text stays unchanged').waitFor()
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    await expect.poll(() => p.request.locator('.cm-content').innerText()).toBe('{"a": 01}')
  })

  await step('a disabled body field is omitted, and returns to its place', async () => {
    await newRequest(page)
    await p.search.fill('post device devices')
    await endpoint(page, 'POST /device/devices').click()
    const body = p.request.getByRole('region', { name: 'Body' })
    await body.getByRole('switch', { name: 'name on', exact: true }).first().click()
    await body.getByText('not sent').waitFor()
    await body.getByRole('switch', { name: 'name on', exact: true }).first().click()
    await expect.poll(() => body.getByText('not sent').count()).toBe(0)
  })
})

test('the path suggests endpoints and accepts a pasted cURL command', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('the path suggests endpoints, by keyboard', async () => {
    await newRequest(page)
    await p.path.fill('/device/dev')
    await p.request.getByRole('listbox', { name: 'Endpoints' }).getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => p.path.getAttribute('aria-activedescendant')).toBeTruthy()
    await page.keyboard.press('Enter')
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
  })

  await step('a pasted cURL command becomes the request', async () => {
    await newRequest(page)
    await page.evaluate(() =>
      navigator.clipboard.writeText(
        `curl -X PATCH '${location.origin}/api/device/devices/7?dry=1' \\\n  -H 'X-Note: a b' -d '{"displayName":"x"}'`,
      ),
    )
    await p.path.focus()
    await page.keyboard.press('Control+V')
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices/7')
    await expect.poll(() => p.method.inputValue()).toBe('PATCH')
    await expect.poll(() => p.request.getByRole('textbox', { name: 'dry value' }).inputValue()).toBe('1')
    await expect.poll(() => p.request.getByRole('textbox', { name: 'X-Note value' }).inputValue()).toBe('a b')
  })
})
