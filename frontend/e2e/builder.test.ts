import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { endpoint, newRequest, parts, problem, sendPath, suite, tabNames, until } from './harness'
import { step } from './story'

const portal = suite()

async function open(page: Page, id: string, words: string) {
  const p = parts(page)
  await newRequest(page)
  await p.search.fill(words)
  await endpoint(page, id).click()
  await expect.poll(() => p.path.inputValue()).toBe(id.split(' ')[1])
}

const focusLabel = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

/** Returns the rows of a parameter list in the format of its text view. */
async function rowsOf(list: Locator): Promise<string[]> {
  const values = (inputs: Element[]) => inputs.map((i) => (i as HTMLInputElement).value)
  const names = await list.getByLabel('parameter name').evaluateAll(values)
  const held = await list.getByLabel(/ value$/).evaluateAll(values)
  const on = await list
    .getByRole('switch', { name: / on$/ })
    .evaluateAll((all) => all.map((i) => i.getAttribute('aria-checked')))
  return names.map((n, i) => `${on[i] === 'true' ? '' : '# '}${n}: ${held[i]}`)
}

test('objects are selected by name: in path parameters, in the path itself and in fields of a body', async () => {
  const page = await portal.page({ width: 1280, height: 800 })
  const p = parts(page)
  await step('a path parameter searches the portal by keyboard, and shows the name of the id', async () => {
    await open(page, 'GET /device/devices/{id}', 'get device devices id')
    const id = p.request.getByRole('combobox', { name: 'id value' })
    await id.fill('core-sw')
    const list = page.getByRole('listbox', { name: 'Devices' })
    await list.getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => id.getAttribute('aria-activedescendant')).toBeTruthy()
    const name = await list.getByRole('option', { selected: true }).innerText()
    expect(name).toContain('core-sw')
    await page.keyboard.press('Enter')
    await expect.poll(() => id.inputValue()).toMatch(/^\d+$/)
    const called = p.request.getByRole('region', { name: 'Path parameters' }).getByText(/^core-sw/)
    await called.waitFor()
    expect(await called.evaluate((e) => e.scrollWidth <= e.clientWidth)).toBe(true) // not truncated
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
  })

  await step('the path completes ids at the caret, and keeps template, docs and name', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices/core-sw')
    const list = page.getByRole('listbox', { name: 'Devices' })
    await list.getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => p.path.inputValue()).toMatch(/^\/device\/devices\/\d+$/)
    await p.request.getByText(/^core-sw/).waitFor()
    await expect.poll(async () => (await tabNames(page)).at(-1)).toMatch(/^GET \/device\/devices\/\d+$/)
    await p.tools.getByRole('tab', { name: 'Docs' }).click()
    await p.tools.getByText('/device/devices/{id}').first().waitFor()
  })

  await step('fields of a body that hold ids offer the objects by their names, several joined by commas', async () => {
    await open(page, 'POST /device/devices', 'create a device')
    const body = () => p.request.getByRole('combobox', { name: 'hostGroupIds value' }).inputValue()
    await p.request.getByRole('combobox', { name: 'hostGroupIds value' }).fill('1,linux')
    const list = page.getByRole('listbox', { name: 'Groups' })
    await list.getByRole('option', { name: /Linux/ }).first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(body).toMatch(/^1,\d+$/)
    const collector = p.request.getByRole('combobox', { name: 'preferredCollectorId value' })
    await collector.click()
    await page.getByRole('listbox', { name: 'Collectors' }).getByRole('option').first().waitFor()
    await page.keyboard.press('Escape')
    expect(await collector.inputValue()).toBe('1')
  })
})

test('rows of parameters and headers are completed, edited as text, moved, pasted and undone', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('fields is a checklist, and sort a field and a direction', async () => {
    await open(page, 'GET /device/devices', 'get device devices')
    const fields = p.request.getByRole('combobox', { name: 'fields value' })
    await fields.fill('')
    await fields.pressSequentially('displ')
    const list = page.getByRole('listbox', { name: 'Fields' })
    await list.getByRole('option', { name: /^displayName/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => fields.inputValue()).toBe('displayName')
    await page.keyboard.press('Escape')
    const sort = p.request.getByRole('combobox', { name: 'sort value' })
    await sort.fill('displ')
    await page
      .getByRole('listbox', { name: 'Sort by' })
      .getByRole('option', { name: /descending/ })
      .click()
    await expect.poll(() => sort.inputValue()).toBe('-displayName')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
  })

  await step('rows are edited as text and moved by keyboard, and undone', async () => {
    await newRequest(page)
    await p.path.fill('/nothing/here')
    const query = p.request.getByRole('region', { name: 'Query parameters' })
    await query.getByRole('button', { name: 'Edit query parameters as text' }).click()
    await query.getByRole('textbox', { name: 'Query parameters as text' }).fill('a: 1\n# b: two: {{x}}\na:')
    await query.getByRole('button', { name: 'Edit query parameters as text' }).click()
    const rows = () => rowsOf(query)
    await expect.poll(rows).toEqual(['a: 1', '# b: two: {{x}}', 'a: '])
    await query.getByRole('textbox', { name: 'b value' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(rows).toEqual(['# b: two: {{x}}', 'a: 1', 'a: '])
    await expect.poll(() => focusLabel(page)).toBe('b value')
    await page.keyboard.press('Control+Z')
    await expect.poll(rows).toEqual(['a: 1', '# b: two: {{x}}', 'a: '])
    await page.keyboard.press('Control+Shift+Z')
    await expect.poll(rows).toEqual(['# b: two: {{x}}', 'a: 1', 'a: '])
    const [first, last] = [
      query.getByRole('button', { name: 'Move b', exact: true }),
      query.getByRole('button', { name: 'Remove a' }).last(),
    ]
    await query.getByRole('textbox', { name: 'b value' }).hover()
    const [from, to] = [(await first.boundingBox())!, (await last.boundingBox())!]
    await page.mouse.move(from.x + 12, from.y + 12)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y + 12, { steps: 5 })
    await page.mouse.up()
    await expect.poll(rows).toEqual(['a: 1', 'a: ', '# b: two: {{x}}'])
  })

  await step('rows pasted into a name become rows, and are undone', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups')
    await page.keyboard.press('Escape')
    const query = p.request.getByRole('region', { name: 'Query parameters' })
    const paste = async (text: string) => {
      await query.getByRole('button', { name: 'Add parameter' }).click()
      await page.evaluate((t) => navigator.clipboard.writeText(t), text)
      await page.keyboard.press('Control+V')
    }
    const offered = ['# size: 50', '# offset: 0', '# fields: ', '# sort: ']
    await expect.poll(() => rowsOf(query)).toEqual(offered)
    await paste('size: 5\r\n# own: a:b\r\n')
    const pasted = [...offered.slice(1), 'size: 5', '# own: a:b']
    await expect.poll(() => rowsOf(query)).toEqual(pasted)
    await paste('x=1&x=a%20b')
    await expect.poll(() => rowsOf(query)).toEqual([...pasted, 'x: 1', 'x: a b'])
    await expect.poll(() => focusLabel(page)).toBe('x value')
    await page.keyboard.press('Control+Z')
    await expect.poll(() => rowsOf(query)).not.toContain('x: 1')
  })

  await step('header names and their values are completed', async () => {
    await newRequest(page)
    const headers = p.request.getByRole('region', { name: 'Headers' })
    await headers.getByRole('button', { name: 'Add header' }).click()
    await page.keyboard.type('x-v')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => headers.getByRole('combobox', { name: 'header name' }).inputValue()).toBe('X-Version')
    await headers.getByRole('combobox', { name: 'X-Version value' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => headers.getByRole('combobox', { name: 'X-Version value' }).inputValue()).toBe('3')
  })

  await step('undo and redo cover path, method, rows and a paste', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups')
    await p.method.selectOption('DELETE')
    await p.path.focus()
    await page.evaluate(() =>
      navigator.clipboard.writeText(
        `curl -X PUT '${location.origin}/api/device/devices/7' -H 'Authorization: Bearer x' -d '{"name":"x"}'`,
      ),
    )
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Control+V')
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices/7')
    await page.getByText(/Authorization was ignored/).waitFor()
    await page.keyboard.press('Control+Z')
    await expect
      .poll(async () => [await p.method.inputValue(), await p.path.inputValue()])
      .toEqual(['DELETE', '/device/groups'])
    await page.keyboard.press('Control+Z')
    await expect
      .poll(async () => [await p.method.inputValue(), await p.path.inputValue()])
      .toEqual(['GET', '/device/groups'])
    await page.keyboard.press('Control+Y')
    await page.keyboard.press('Control+Y')
    await expect
      .poll(async () => [await p.method.inputValue(), await p.path.inputValue()])
      .toEqual(['PUT', '/device/devices/7'])
  })
})

test('a filter is built from live values, validated, and corrected', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('builds a condition from live values, counts what matches, and keeps text and chips in step', async () => {
    await open(page, 'GET /device/devices', 'get device devices')
    const bar = p.request.getByRole('region', { name: 'Filter', exact: true })
    const text = p.request.getByRole('combobox', { name: 'filter value' })
    expect([await text.count(), await p.request.getByText('filter', { exact: true }).count()]).toEqual([0, 1])
    await bar.getByRole('button', { name: 'Edit filter as text' }).click()
    await expect.poll(() => text.evaluate((input) => input === document.activeElement)).toBe(true)
    await bar.getByRole('button', { name: 'Add condition' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    await dialog.getByRole('combobox', { name: 'Field' }).fill('hostStatus')
    await dialog.getByRole('combobox', { name: 'Operator' }).selectOption(':')
    const value = dialog.getByRole('combobox', { name: 'Value' })
    await value.focus()
    await page
      .getByRole('listbox', { name: 'Values' })
      .getByRole('option', { name: /^normal/ })
      .click()
    await expect.poll(() => text.inputValue()).toBe('hostStatus:"normal"')
    await page.keyboard.press('Escape')
    await until(bar.locator('.count'), /^\d+ of 152 match$/)
    await text.fill('hostStatus:"normal" || displayName~"core"')
    await bar.getByRole('button', { name: 'Edit displayName~"core"' }).waitFor()
    await bar.getByRole('button', { name: /^OR/ }).click()
    await expect.poll(() => text.inputValue()).toBe('hostStatus:"normal" , displayName~"core"')
    await bar.getByRole('button', { name: 'Remove hostStatus:"normal"' }).click()
    await expect.poll(() => text.inputValue()).toBe('displayName~"core"')
    await page.keyboard.press('Control+Enter')
    const answer = await until(p.status, /^200 OK.* \d+ items/)
    await until(bar.locator('.count'), new RegExp(`^${/(\d+) items/.exec(answer)![1]} of 152 match$`))
    await bar.getByRole('button', { name: 'Add condition' }).press('Enter')
    await dialog.getByRole('combobox', { name: 'Field' }).fill('displayNa') // an incomplete name, then further input
    await page.keyboard.press('Enter')
    await expect.poll(() => value.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.insertText('sw')
    await expect.poll(() => text.inputValue()).toMatch(/displayName~"sw"$/)
    await page.getByRole('listbox', { name: 'Values' }).waitFor()
    await page.keyboard.press('Escape') // closes the suggestions, which cover the button
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    await bar.getByRole('button', { name: 'Add condition' }).click()
    const offered = page.getByRole('listbox', { name: 'Fields' }).getByRole('option')
    await expect
      .poll(async () => (await offered.allInnerTexts()).slice(0, 3).map((t) => t.split(/\s/)[0]))
      .toEqual(['id', 'name', 'displayName'])
    await dialog.getByRole('combobox', { name: 'Field' }).fill('hostStat')
    await page
      .getByRole('listbox', { name: 'Fields' })
      .getByRole('option', { name: /^hostStatus/ })
      .click()
    await expect.poll(() => value.evaluate((input) => input === document.activeElement)).toBe(true)
    // a complete name without a value
    await dialog.getByRole('combobox', { name: 'Field' }).fill('displayName')
    await page.keyboard.press('Enter')
    await expect.poll(() => value.evaluate((input) => input === document.activeElement)).toBe(true)
    await dialog.getByRole('button', { name: 'Done' }).press('Enter') // by key: the suggestions may cover the button
    await dialog.waitFor({ state: 'detached' })
  })

  await step('a filter that the portal refuses shows where, and stays as typed', async () => {
    await open(page, 'GET /device/devices', 'get device devices')
    const bar = p.request.getByRole('region', { name: 'Filter', exact: true })
    const text = bar.getByRole('combobox', { name: 'filter value' })
    if (!(await text.count())) await bar.getByRole('button', { name: 'Edit filter as text' }).click()
    await text.fill('id>3,displaynam~"x"')
    await bar.getByText(/no field "displaynam" at 5; did you mean displayName/).waitFor()
    await expect.poll(() => bar.locator('mark').innerText()).toBe('d')
    await text.fill('id>3,half')
    await bar.getByText('half').first().waitFor()
    await expect.poll(() => text.inputValue()).toBe('id>3,half')
  })

  await step('the suggestion of an error corrects the filter, and a typed query replaces it', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?filter=hostStat:dead&size=5', /^400/)
    const bar = p.request.getByRole('region', { name: 'Filter', exact: true })
    const filter = bar.getByRole('combobox', { name: 'filter value' })
    if (!(await filter.count())) await bar.getByRole('button', { name: 'Edit filter as text' }).click()
    await expect.poll(() => problem(page).count()).toBe(1) // only the filter has a problem
    await bar.getByRole('button', { name: 'hostStatus', exact: true }).click()
    await expect.poll(() => filter.inputValue()).toBe('hostStatus:dead')
    await sendPath(page, '/device/devices?size=7')
    const on = (name: string) =>
      p.request.getByRole('switch', { name, exact: true }).first().getAttribute('aria-checked')
    expect([await on('Use the filter'), await on('size on'), await filter.inputValue()]).toEqual([
      'false',
      'true',
      'hostStatus:dead',
    ])
  })
})

test('variables complete, leaving the path loses nothing, and the preview shows the request', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('a click that leaves the path works, even if typed parameters become rows', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups?size=5&filter=name~"a long one"&sort=-id')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New tab' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate tab' }).click()
    await expect.poll(() => tabNames(page)).toEqual(['GET /device/groups', 'GET /device/groups'])
    expect((await rowsOf(p.request.getByRole('region', { name: 'Query parameters' }))).slice(0, 2)).toEqual([
      'size: 5',
      'sort: -id',
    ])
    await p.request.getByRole('button', { name: 'Edit name~"a long one"' }).waitFor()
  })

  await step('variables are completed behind {{, explained at the caret, and typing keeps the focus', async () => {
    await newRequest(page)
    await p.path.focus()
    await page.keyboard.type('/device/devices/{{$us')
    await page
      .getByRole('listbox', { name: 'Variables' })
      .getByRole('option', { name: /userId/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices/{{$userId}}')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('tooltip').getByText('built-in, filled in when sent').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('tooltip').count()).toBe(0)
    await expect.poll(() => focusLabel(page)).toBe('Path')
    await p.path.fill('/device/devices/{{nobody}}')
    await page.keyboard.press('Control+Enter')
    await problem(page)
      .getByText(/\{\{nobody\}\} has no value/)
      .waitFor()
    await p.request.getByRole('button', { name: 'Send anyway' }).waitFor()
  })

  await step('the preview shows the exact request, and copies it', async () => {
    await open(page, 'POST /device/devices', 'post device devices')
    await p.path.fill('/device/devices?dry={{$userId}}')
    await p.request.getByRole('button', { name: 'Preview' }).click()
    const dialog = page.getByRole('dialog', { name: 'Request as it will be sent' })
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
    const text = await page.evaluate(() => navigator.clipboard.readText())
    expect(text).toMatch(/^POST http\S+\/device\/devices\?dry=\d+\n/)
    expect(text).toMatch(/\n\n\{[^]*"name"/)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })
})

test('in a low window nothing overlaps, and hidden rows are indicated', async () => {
  const page = await portal.page({ width: 720, height: 450, fresh: true }) // 1440x900 at 200 % zoom
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?filter=hostStat:dead&size=5', /^400/)
  await problem(page).waitFor()
  const bar = p.request.getByRole('region', { name: 'Filter', exact: true })
  const box = async (of: Locator) => (await of.boundingBox())!
  const [filter, splitter, response] = [
    await box(bar),
    await box(page.getByRole('separator', { name: 'Resize the request' })),
    await box(p.response),
  ]
  expect(filter.y + filter.height).toBeLessThanOrEqual(splitter.y)
  expect(response.height).toBeGreaterThanOrEqual(200)
  await p.tree.scrollIntoViewIfNeeded()
  expect(await p.tree.evaluate((e) => e.getBoundingClientRect().bottom <= innerHeight)).toBe(true)

  await page.setViewportSize({ width: 1280, height: 800 })
  const form = p.request.getByRole('tabpanel')
  const visible = () =>
    form.evaluate((panel) => {
      const { top, bottom } = panel.getBoundingClientRect()
      const rows = [...panel.querySelectorAll('[aria-label="Query parameters"] .kv')].map((e) =>
        e.getBoundingClientRect(),
      )
      return rows.filter((r) => r.top >= top && r.bottom <= bottom).length
    })
  await expect.poll(visible).toBeGreaterThanOrEqual(4)
  const more = form.getByRole('button', { name: 'More below' })
  await more.click()
  await expect.poll(() => form.evaluate((e) => e.scrollTop)).toBeGreaterThan(0)
  await form.evaluate((e) => e.scrollTo(0, e.scrollHeight))
  await more.waitFor({ state: 'detached' })
})

const raw = async (page: Page) => {
  const p = parts(page)
  await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
  await p.request.locator('.cm-content').waitFor()
  return p.request.locator('.cm-content')
}
const write = async (page: Page, text: string) => {
  await (await raw(page)).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

test('the body is edited as rows and as text, by its schema, and undone', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('the values of nested rows are aligned', async () => {
    await open(page, 'POST /device/devices', 'post device devices')
    const values = parts(page)
      .request.getByRole('region', { name: 'Body' })
      .getByRole('textbox', { name: /value$/ })
    await expect.poll(() => values.count()).toBeGreaterThan(6)
    const lefts = await values.evaluateAll((all) => all.map((e) => Math.round(e.getBoundingClientRect().left)))
    expect(new Set(lefts).size).toBe(1)
  })

  await step('nested rows are added, moved, disabled and removed without other changes', async () => {
    await newRequest(page)
    await p.method.selectOption('POST')
    await write(page, '{"n": 1.50, "in": {"deep": 9007199254740993, "x": null}, "list": [10, 2.0, 30]}')
    await p.request.getByRole('tab', { name: 'Form' }).click()
    const body = p.request.getByRole('region', { name: 'Body' })
    await body.getByRole('textbox', { name: '1 value', exact: true }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await body.getByRole('switch', { name: '2 on', exact: true }).click()
    await body.getByRole('button', { name: 'Add to in' }).click()
    await page.keyboard.type('more')
    await page.keyboard.press('Enter')
    await body.getByRole('textbox', { name: 'more value' }).fill('42')
    await body.getByRole('button', { name: 'Remove x', exact: true }).click()
    await expect
      .poll(async () => (await raw(page)).innerText())
      .toBe('{"n": 1.50, "in": {"deep": 9007199254740993, "more": "42"}, "list": [2.0, 10]}')
    await p.request.getByRole('tab', { name: 'Form' }).click()
    await body.getByRole('switch', { name: '2 on', exact: true }).click()
    await expect
      .poll(async () => (await raw(page)).innerText())
      .toBe('{"n": 1.50, "in": {"deep": 9007199254740993, "more": "42"}, "list": [2.0, 10, 30]}')
  })

  await step('it offers the fields of the schema, with editors of their types', async () => {
    await open(page, 'POST /sdt/sdts', 'post sdt sdts')
    const body = p.request.getByRole('region', { name: 'Body' })
    await body.getByRole('button', { name: 'Remove type', exact: true }).click()
    await body.getByRole('button', { name: 'type', exact: true }).click()
    await body.getByRole('combobox', { name: 'type value', exact: true }).fill('')
    await page.getByRole('listbox', { name: 'Values' }).getByRole('option', { name: 'ResourceGroupSDT' }).click()
    await body.getByRole('button', { name: 'Add field' }).click()
    await page.keyboard.type('startD')
    await page
      .getByRole('listbox', { name: 'Fields' })
      .getByRole('option', { name: /^startDateTime/ })
      .first()
      .click()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    await expect.poll(focused).toBe('startDateTime value')
    await body.getByRole('button', { name: 'Add field' }).press('Enter')
    await expect.poll(focused).toBe('New field name')
    await page.keyboard.press('Escape') // closes only the suggestions
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe('Add field')
    await body.getByRole('button', { name: 'Add field' }).press('Enter')
    await page.keyboard.type('endD')
    await page
      .getByRole('listbox', { name: 'Fields' })
      .getByRole('option', { name: /^endDateTime/, selected: true })
      .waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('endDateTime value')
    await body.getByRole('button', { name: 'Choose a time for startDateTime' }).click()
    await page
      .getByRole('dialog', { name: 'Time of startDateTime' })
      .getByLabel(/Local time/)
      .fill('2026-11-20T15:00:00')
    await page.keyboard.press('Escape')
    const want = String(await page.evaluate(() => new Date('2026-11-20T15:00:00').getTime()))
    await expect.poll(() => body.getByRole('combobox', { name: 'startDateTime value' }).inputValue()).toBe(want)
    const text = await (await raw(page)).innerText()
    expect(JSON.parse(text)).toMatchObject({ type: 'ResourceGroupSDT', startDateTime: Number(want) })
  })

  await step('it completes field names at the first quote, and adds the closing one', async () => {
    await open(page, 'POST /device/devices', 'post device devices')
    const text = await raw(page)
    await text.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await page.keyboard.type('{"')
    const offered = page.locator('.cm-tooltip-autocomplete li')
    await expect.poll(() => offered.first().innerText()).toMatch(/^"name"/)
    await page.keyboard.type('disp')
    await expect.poll(() => offered.count()).toBe(1)
    await page.keyboard.press('Enter')
    await expect.poll(() => text.innerText()).toBe('{"displayName": ""}')
  })

  await step('is validated by the schema, formatted, and undone first by the editor, then by the request', async () => {
    await open(page, 'POST /device/devices', 'post device devices')
    await write(page, '{"displaynam":"x","preferredCollectorId":"1"}')
    await p.request.getByRole('button', { name: '3 problems' }).click()
    await page.keyboard.press('Control+Shift+M')
    await p.request.locator('.cm-panel-lint').getByText('no field “displaynam”; did you mean displayName?').waitFor()
    await page.keyboard.press('Escape')
    await p.request.getByRole('button', { name: 'Format' }).click()
    await expect
      .poll(() => p.request.locator('.cm-content').innerText())
      .toBe('{\n  "displaynam": "x",\n  "preferredCollectorId": "1"\n}')
    await p.request.locator('.cm-content').click()
    await page.keyboard.press('Control+Z')
    await expect
      .poll(() => p.request.locator('.cm-content').innerText())
      .toBe('{"displaynam":"x","preferredCollectorId":"1"}')
    await page.keyboard.press('Control+Z')
    await expect.poll(() => p.request.locator('.cm-content').innerText()).toContain('"name"')
    await page.keyboard.press('Control+Z')
    await expect.poll(() => p.path.inputValue()).toBe('')
  })
})
