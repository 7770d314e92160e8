import { expect, test } from 'vitest'
import { endpoint, newRequest, parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('docs follow the path, and insert parameters, conditions and fields into the request', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('a typed path opens its docs once', async () => {
    await newRequest(page)
    const shown = (name: string) => p.tools.getByRole('tab', { name, selected: true }).waitFor()
    await page.keyboard.press('Control+h')
    await shown('History')
    await p.path.focus()
    await page.keyboard.type('/device/devices/1')
    await shown('Docs')
    await p.tools
      .getByRole('heading', { name: 'GET /device/devices/{id}' })
      .or(p.tools.getByText('/device/devices/{id}', { exact: true }))
      .first()
      .waitFor()

    await page.keyboard.press('Escape') // closes the suggestions
    await page.keyboard.press('Control+e')
    await shown('Variables')
    await p.path.focus()
    await page.keyboard.press('End')
    await page.keyboard.type('2')
    await shown('Variables')

    await page.keyboard.press('Control+Alt+b')
    await p.tools.waitFor({ state: 'detached' })
    await p.path.fill('/alert/alerts')
    await shown('Docs')
  })

  await step('parameters are inserted by click and keyboard, with feedback and undo', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    await page.keyboard.press('Escape')
    const docs = p.tools.getByRole('group', { name: 'Documentation' })
    const params = docs.getByRole('list', { name: 'Query parameters' })
    await params.getByRole('button', { name: /^size/ }).click()
    await until(page.getByTestId('toast'), /^Added size to the query/)
    await params.getByRole('button', { name: /^sort/ }).focus()
    await page.keyboard.press('Enter')
    await until(page.getByTestId('toast'), /^Added sort to the query/)
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
    const sent = await page.evaluate(
      async () =>
        ((await (await fetch('/explorer/history?size=1&sort=-id')).json()) as { items: { url: string }[] }).items[0]
          .url,
    )
    expect(sent).toContain('size=')
    expect(sent).not.toContain('sort=')
  })

  await step('an operator of a field starts a condition in the filter', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    await page.keyboard.press('Escape')
    await p.tools.getByLabel('Filter operators').selectOption('id')
    await expect.poll(() => p.tools.getByRole('button', { name: 'id contains' }).count()).toBe(0)
    await p.tools.getByRole('button', { name: 'id at least' }).click()
    await until(page.getByTestId('toast'), /^Added a condition on id to the filter/)
    await p.request
      .locator('input')
      .evaluateAll((all: HTMLInputElement[]) => all.map((i) => i.value))
      .then((values) => expect(values.join('\n')).toContain('id>:'))
  })

  await step('body fields, also nested ones, are inserted with an example value, and are searchable', async () => {
    await newRequest(page)
    await p.search.fill('post devices')
    await endpoint(page, 'POST /device/devices').click()
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    const editor = p.request.locator('.cm-content')
    await editor.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('{}')
    const docs = p.tools.getByRole('group', { name: 'Documentation' })
    await docs.getByRole('button', { name: 'displayName', exact: true }).first().click()
    await until(editor, /"displayName"/)
    await p.tools.getByRole('searchbox', { name: 'Search the docs' }).fill('displayName')
    await expect.poll(() => docs.getByRole('button', { name: 'customProperties', exact: true }).count()).toBe(0)
    await docs.getByRole('button', { name: 'displayName', exact: true }).first().waitFor()
    await p.tools.getByRole('searchbox', { name: 'Search the docs' }).fill('zzzz')
    await docs.getByText('No matches for “zzzz”').waitFor()
    await p.tools.getByRole('searchbox', { name: 'Search the docs' }).fill('')
    await docs.getByRole('button', { name: 'Use', exact: true }).click()
    await until(page.getByTestId('toast'), /^Inserted the example into the request/)
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await until(editor, /^[^,]*"displayName"[^,]*$/)
  })

  await step('permissions, errors and the response of an endpoint are shown', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices/7')
    await page.keyboard.press('Escape')
    const docs = p.tools.getByRole('group', { name: 'Documentation' })
    await docs.getByText('/device/devices/{id}').first().waitFor()
    await expect
      .poll(() => docs.getByRole('heading', { level: 3 }).allInnerTexts())
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^Path parameters/),
          'Responses',
          expect.stringMatching(/^Fields of the response/),
        ]),
      )
    await docs.getByText('404').first().waitFor()
  })

  await step(
    'a body lists writable fields, a permission is one line, and a long name is above its description',
    async () => {
      await newRequest(page)
      const docs = p.tools.getByRole('group', { name: 'Documentation' })
      await p.search.fill('post apitokens')
      await endpoint(page, 'POST /setting/admins/{adminId}/apitokens').click()
      await docs.getByText('Request body').waitFor()
      const body = docs.getByRole('heading', { name: /^Request body/ }).locator('+ ul')
      expect(await body.getByText('read-only').count()).toBe(0)
      expect(await body.locator('code').allInnerTexts()).not.toContain('id')
      const right = docs.getByText('administrators only')
      expect(await right.evaluate((e) => e.parentElement!.getClientRects().length)).toBeLessThanOrEqual(2)

      await p.search.fill('get device devices')
      await endpoint(page, 'GET /device/devices').click()
      const long = docs.getByRole('button', { name: /^includeDeletedResources/ })
      await long.waitFor()
      expect(
        await long.locator('code').evaluate((e) => e.getClientRects().length * e.getBoundingClientRect().height),
      ).toBeLessThan(20)
    },
  )
})
