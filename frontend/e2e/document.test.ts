import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'
import { atStub, startStub } from './stub'
import { step } from './story'

const portal = suite()

test('a response is filtered, its rows are copied, and its content is never executed', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('a filter shows matches as a tree, locates errors, and applies to the next response', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=20')
    await p.response.getByRole('button', { name: 'Filter', exact: true }).click()
    const field = p.response.getByRole('searchbox', { name: 'Filter response' })
    await p.response.getByRole('listbox', { name: 'Examples' }).waitFor()
    await field.fill('$.items[*].displayName')
    const bar = p.response.getByRole('search', { name: 'Filter' })
    await until(bar, /20 matches/)
    await p.tree.getByRole('treeitem', { level: 2 }).first().waitFor()
    await page.keyboard.press('Enter')
    await field.fill('.items[] | select(.id == ')
    await until(bar, /at character \d+/)
    await field.fill('.items[] | .displ')
    await p.response.getByRole('option', { name: 'displayName', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('.items[] | .displayName')
    await until(bar, /20 matches/)
    await sendPath(page, '/device/devices?size=5', /· 5 items/)
    await until(bar, /5 matches/)
    await p.response.getByRole('button', { name: 'Clear filter' }).click()
    await p.tree.getByRole('treeitem', { name: /^total/ }).waitFor()
  })

  await step('a row has a keyboard menu: copy the exact value, expand all below', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=2&fields=id,displayName')
    await p.tree.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'Value' })
    await menu.getByRole('menuitem', { name: 'Copy as JSON' }).focus()
    await page.keyboard.press('Enter')
    await until(page.getByTestId('toast'), /^Copied value as JSON/)
    const text = await page.evaluate(() => navigator.clipboard.readText())
    expect(JSON.parse(text).items.length).toBe(2)
    await page.keyboard.press('Shift+F10')
    await menu.getByRole('menuitem', { name: 'Collapse all below' }).click()
    await expect.poll(() => p.tree.getByRole('treeitem', { level: 2 }).count()).toBe(0)
  })

  await step('text is shown and never executed', async () => {
    const evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    await page.evaluate(async (description) => {
      const { user } = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
      await fetch('/api/device/devices/1', {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': user.csrfToken },
        body: JSON.stringify({ description }),
      })
    }, evil)
    await newRequest(page)
    await sendPath(page, '/device/devices/1')
    await until(p.tree.getByRole('treeitem', { name: /^description/ }), /<img src=x onerror=/)
    await p.tree.focus() // closes the suggestions of the path
    for (const view of ['Table', 'Raw']) {
      await p.response.getByRole('tab', { name: view, exact: true }).click()
      await p.response.getByText('onerror').first().waitFor()
    }
    await p.tools.getByRole('tab', { name: 'Helpers' }).click()
    await p.tools.getByText('onerror').first().waitFor()
    await expect.poll(() => page.locator('img[src=x]').count()).toBe(0)
    await expect.poll(() => page.title()).not.toBe('1')
  })
})

test('an extractor sets a variable and is edited in place', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('an extractor sets a variable after the next response', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=3')
    await p.tools.getByRole('tab', { name: 'Helpers' }).click()
    await p.tools.getByRole('button', { name: 'Next item' }).click()
    await p.tools.getByRole('button', { name: 'Extract $.items[1].id from every response' }).click()
    await p.tools.getByRole('textbox', { name: 'Variable to set' }).fill('second')
    await p.tools.getByRole('button', { name: 'Add', exact: true }).click()
    await until(p.tools.getByRole('region', { name: 'Extractors' }), /\$\.items\[1\]\.id → second.*has not run yet/s)
    await sendPath(page, '/device/devices?size=4', /· 4 items/)
    await until(page.getByTestId('toast'), /^Extracted \{\{second\}\} = \d+/)
    await sendPath(page, '/device/devices?size=1', /· 1 item/)
    await until(
      p.tools.getByRole('region', { name: 'Extractors' }),
      /nothing in the response matches \$\.items\[1\]\.id/,
    )
  })

  await step('an extractor is edited in place, from the keyboard too', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=3')
    await p.tools.getByRole('tab', { name: 'Helpers' }).click()
    const box = p.tools.getByRole('region', { name: 'Extractors' })
    await box.getByRole('button', { name: 'Add extractor' }).click()
    await box.getByRole('textbox', { name: 'Path of the value' }).fill('$.items[2].id')
    await box.getByRole('textbox', { name: 'Variable to set' }).fill('third')
    await page.keyboard.press('Enter')
    const pencil = box.getByRole('button', { name: 'Edit extractor of third' })
    await pencil.press('Enter')
    const form = box.getByRole('form', { name: 'Extractor of third' })
    const path = form.getByRole('textbox', { name: 'Path of the value' })
    await expect.poll(() => path.evaluate((e) => e === document.activeElement)).toBe(true)
    await page.keyboard.type('$.items[')
    await page.keyboard.press('Enter')
    await until(form.getByRole('alert'), /\w/)
    await path.fill('$.items[1].displayName')
    await form.getByRole('textbox', { name: 'Variable to set' }).fill('1 no name')
    await page.keyboard.press('Enter')
    await until(form.getByRole('alert'), /^Letters, digits/)
    await page.keyboard.press('Escape')
    await until(box, /\$\.items\[2\]\.id → third/)
    await expect.poll(() => pencil.evaluate((e) => e === document.activeElement)).toBe(true)

    await page.keyboard.press('Enter')
    await path.fill('$.items[1].displayName')
    await form.getByRole('combobox', { name: 'Endpoint' }).selectOption('any')
    await form.getByRole('combobox', { name: 'After' }).selectOption('200')
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/extractor.png` })
    await form.getByRole('button', { name: 'Save' }).click()
    await until(box, /\$\.items\[1\]\.displayName → third\s*after 200\s*has not run yet/)
    await sendPath(page, '/device/groups?size=3', /· 3 items/)
    await p.tools.getByRole('tab', { name: 'Helpers' }).click() // the tab Docs has opened in front
    await until(box, /nothing in the response matches|third\s*after 200\s*(?!has not)\S/)
    await page.reload()
    await until(box, /\$\.items\[1\]\.displayName → third\s*after 200/)
  })
})

test('responses are compared by id, and the active row has buttons', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('only the hovered or the current row has buttons', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=3')
    const copies = p.tree.getByRole('button', { name: 'Copy path' })
    const rows = p.tree.getByRole('treeitem')
    const shown = async () =>
      (
        await copies.evaluateAll((all) =>
          all.map((e) => [e.checkVisibility({ visibilityProperty: true }), e.closest('.jr')!.id]),
        )
      )
        .filter(([visible]) => visible)
        .map(([, id]) => id)
    const [first, third] = [await rows.nth(0).getAttribute('id'), await rows.nth(2).getAttribute('id')]
    await expect.poll(shown).toEqual([first])
    await rows.nth(2).hover()
    await expect.poll(shown).toEqual([third])
    await p.tree.press('Home')
    await expect.poll(shown).toEqual([first])
  })

  await step('two responses are compared by id', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=3&sort=id')
    await sendPath(page, '/device/devices?size=4&sort=-id', /· 4 items/)
    await p.response.getByRole('button', { name: 'Compare…' }).click()
    const choices = page.getByRole('menu', { name: 'Compare with' })
    // these items load later and widen the menu
    await choices.getByRole('group', { name: 'History' }).getByRole('menuitem').first().waitFor()
    const right = async (e: Locator) => {
      const box = (await e.boundingBox())!
      return box.x + box.width
    }
    expect(await right(choices)).toBeCloseTo(await right(p.response.getByRole('button', { name: 'Compare…' })), 0)
    await choices.getByRole('menuitem', { name: /^Previous response/ }).click()
    const comparison = p.response.getByRole('region', { name: 'Comparison' })
    await until(comparison, /\d+ differences/)
    await comparison
      .getByRole('option', { name: /\$\.items\[\?@\.id == \d+\]/ })
      .first()
      .waitFor()
    await page.keyboard.press('F7')
    await comparison.getByRole('button', { name: 'Close comparison' }).click()
    await p.tree.waitFor()
    await p.tools.getByRole('tab', { name: 'History' }).click()
    const past = p.tools.getByRole('list', { name: 'History' })
    await past
      .getByRole('listitem')
      .first()
      .click({ modifiers: ['Control'] })
    await past
      .getByRole('listitem')
      .nth(1)
      .click({ modifiers: ['Control'] })
    await p.tools.getByRole('group', { name: 'Selected requests' }).getByRole('button', { name: 'Compare' }).click()
    await until(comparison, /Before\s*GET \/device\/devices\S* · 200.*\d+ differences/s)
  })
})

test('a binary body is shown as hex, and invalid JSON as text with its error', async () => {
  const odd = await startStub((r, w) => {
    const [kind, body] = answers[r.url ?? ''] ?? [
      'application/json',
      '{"openapi":"3.1.0","info":{"title":"Odd","version":"1"},"paths":{}}',
    ]
    w.setHeader('Content-Type', kind)
    w.end(body, 'latin1')
  })
  try {
    const page = await portal.page()
    const p = parts(page)
    await atStub(page, 'Odd', `${odd.url}/api`)
    await sendPath(page, '/picture')
    await until(p.response, /Binary response: 5\.0 KB, image\/png/)
    await until(
      p.response.getByRole('group', { name: 'Response body in hexadecimal' }),
      /^00000000 {2}89 50 4e 47 0d 0a 1a 0a.*the first 4,096 of 5,010 bytes$/s,
    )
    await expect
      .poll(() => p.response.getByRole('link', { name: 'Save to a file' }).getAttribute('download'))
      .toBe('picture.png')
    await sendPath(page, '/broken', /· 10 B/)
    await until(
      p.response,
      /The body is not JSON: expected a comma or a closing bracket at byte 9, found }\. Shown unchanged\./,
    )
    await until(p.response.getByRole('group', { name: 'Response body' }), /\{"a":\[1,2\}/)
  } finally {
    odd.stop()
  }
})

const answers: Record<string, [kind: string, body: string]> = {
  '/api/picture': ['image/png', `\x89PNG\r\n\x1a\n\0\0${'x'.repeat(5000)}`],
  '/api/broken': ['application/json', '{"a":[1,2}'],
}
