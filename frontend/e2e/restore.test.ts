import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, signIn, suite, until } from './harness'

const portal = suite()

type View = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- as the workspace has it

/** Returns the views of the tabs as stored on disk. */
const views = async (page: Page) => (await start(page)).tabs.map((t) => t.view)
const start = async (page: Page) =>
  (await (await page.context().request.get(`${portal.url}/explorer/start`)).json()) as {
    tabs: { view: View }[]
    settings: View
  }

/** Returns the visible lines and the scroll position. */
async function look(box: Locator, rows: string) {
  await box.page().mouse.move(2, 2) // a row under the pointer shows more
  return box.evaluate((element, selector) => {
    const frame = element.getBoundingClientRect()
    const inside = [...element.querySelectorAll<HTMLElement>(selector)].filter((r) => {
      const at = r.getBoundingClientRect()
      return at.bottom > frame.top && at.top < frame.bottom && at.right > frame.left && at.left < frame.right
    })
    return {
      top: Math.round(element.scrollTop),
      left: Math.round(element.scrollLeft),
      rows: inside.map((r) => r.innerText.replace(/\s+/g, ' ').trim()),
    }
  }, rows)
}

const scrollTo = (box: Locator, top: number, left = 0) =>
  box.evaluate((element, to) => element.scrollTo(to), { top, left })

/** Opens the first closed row in view whose text matches. */
async function unfold(p: ReturnType<typeof parts>, like: RegExp) {
  const closed = p.tree.getByRole('treeitem', { expanded: false }).filter({ hasText: like })
  let id = ''
  await expect
    .poll(async () => {
      const frame = (await p.tree.boundingBox())!
      for (const row of await closed.all()) {
        const at = await row.boundingBox()
        if (at && at.y > frame.y + 40 && at.y + at.height < frame.y + frame.height - 40)
          return (id = (await row.getAttribute('id')) ?? '')
      }
      return ''
    })
    .not.toBe('')
  await p.tree
    .locator(`#${id} .text`)
    .first()
    .click({ position: { x: 4, y: 4 } })
  await p.tree.locator(`#${id}[aria-expanded=true]`).waitFor()
}

/** Kills the portal, starts it again and signs in. */
async function comeBack(page: Page) {
  await portal.crash()
  await page.goto(portal.url)
  await signIn(page) // the restart ends all sessions
  await parts(page).path.waitFor()
}

test('kill -9 loses neither the tree, the search nor the filter of a response', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=300')
  await page.keyboard.press('Escape')
  await scrollTo(p.tree, 2000)
  await unfold(p, /\{ id: \d+/)
  await scrollTo(p.tree, 2180)
  await unfold(p, /customProperties/)
  await scrollTo(p.tree, 2210)
  const tree = await look(p.tree, '[role=treeitem]')
  expect(tree.rows.length).toBeGreaterThan(8)
  expect(tree.rows.join('\n')).toMatch(/customProperties.*\n.*name:/s)

  await newRequest(page)
  await sendPath(page, '/device/devices?size=300')
  await page.keyboard.press('Escape')
  await p.tree.focus()
  await page.keyboard.press('Control+f')
  await p.response.getByRole('searchbox', { name: 'Find in response' }).fill('displayName')
  await until(p.response.getByRole('search'), /1 of \d+/)
  for (let i = 0; i < 4; i++) await page.keyboard.press('Enter')
  await until(p.response.getByRole('search'), /5 of \d+/)
  await scrollTo(p.tree, 40)
  const found = await look(p.tree, '[role=treeitem]')

  await newRequest(page)
  await sendPath(page, '/device/devices?size=300')
  await page.keyboard.press('Escape')
  await p.response.getByRole('button', { name: 'Filter' }).click()
  await p.response.getByRole('searchbox', { name: 'Filter response' }).fill('$.items[10:60]')
  await until(p.response.getByRole('search', { name: 'Filter' }), /50 matches/)
  await scrollTo(p.tree, 600)
  await unfold(p, /\{ id: \d+/)
  await scrollTo(p.tree, 620)
  const filtered = await look(p.tree, '[role=treeitem]')

  const answer = (i: number) => views(page).then((all) => all[all.length - 3 + i].answer)
  await expect
    .poll(async () => [
      (await answer(0))?.tree?.top,
      (await answer(1))?.tree?.top,
      (await answer(2))?.matches?.tree?.top,
    ])
    .toEqual([tree.top, found.top, filtered.top])
  await expect
    .poll(async () => [
      (await answer(0))?.open?.split(' ').length > 4,
      (await answer(1))?.find?.index,
      (await answer(2))?.matches?.open?.split(' ').length > 1,
    ])
    .toEqual([true, 4, true])
  await comeBack(page)

  await expect.poll(() => look(p.tree, '[role=treeitem]')).toEqual(filtered)
  await expect
    .poll(() => p.response.getByRole('searchbox', { name: 'Filter response' }).inputValue())
    .toBe('$.items[10:60]')
  await p.tabs.nth(-3).click()
  await expect.poll(() => look(p.tree, '[role=treeitem]')).toEqual(tree)
  await p.tabs.nth(-2).click()
  await until(p.response.getByRole('search'), /5 of \d+/)
  await expect.poll(() => look(p.tree, '[role=treeitem]')).toEqual(found)
  await expect
    .poll(() => p.response.getByRole('searchbox', { name: 'Find in response' }).inputValue())
    .toBe('displayName')
  await p.response.getByRole('button', { name: 'Next match' }).click()
  await until(p.response.getByRole('search'), /6 of \d+/)
  expect((await look(p.tree, '[role=treeitem]')).top).not.toBe(found.top)

  await sendPath(page, '/device/devices?size=299')
  expect((await look(p.tree, '[role=treeitem]')).top).toBe(0)
})

test('each tab restores its own place in the response, even after a quick switch', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  for (let i = 0; i < 2; i++) {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=300')
    await page.keyboard.press('Escape')
  }
  const first = await p.tabs.nth(-2).elementHandle()
  await p.tree.evaluate(async (tree, tab) => {
    tree.scrollTo(0, 900)
    await new Promise((told) => tree.addEventListener('scroll', told, { once: true }))
    ;(tab as HTMLElement).click()
  }, first)
  await expect.poll(async () => (await views(page)).slice(-2).map((v) => v.answer?.tree?.top)).toEqual([undefined, 900])
})

test('kill -9 loses neither the place in the history nor the selected item, and new requests do not move them', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  await page.evaluate(async () => {
    const { user } = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
    for (let i = 1; i <= 130; i++) {
      const draft = {
        method: 'GET',
        path: `/device/devices/${i}`,
        template: '',
        pathParams: [],
        query: [],
        headers: [],
        body: '',
        mode: 'form',
      }
      const body = JSON.stringify({ sendId: `sent-${i}`, draft })
      await fetch('/explorer/send', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': user.csrfToken },
        body,
      })
    }
  })
  await newRequest(page)
  await sendPath(page, '/device/devices?size=7')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+H')
  const list = p.tools.getByRole('list', { name: 'History' }).locator(':scope > *')
  const seen = async () => {
    await page.mouse.move(2, 2)
    return list.evaluate((element) => {
      const frame = element.getBoundingClientRect()
      const rows = [...element.querySelectorAll<HTMLElement>('[data-id]')].map(
        (r) => [r.title, Math.round(r.getBoundingClientRect().top - frame.top)] as const,
      )
      return rows.filter(([, top]) => top >= 0 && top < frame.height).sort((a, b) => a[1] - b[1])
    })
  }
  await p.tools.getByRole('listitem').first().waitFor()
  for (const [top, first] of [
    [1500, /\/9\d$/],
    [3900, /\/4\d$/],
  ] as const) {
    await expect
      .poll(async () => {
        await scrollTo(list, top) // as far as the loaded rows reach
        return (await seen())[0]?.[0]
      })
      .toMatch(first)
  }
  const before = await seen()
  await sendPath(page, '/device/devices?size=6')
  await expect.poll(seen).toEqual(before)

  await page.keyboard.press('Escape')
  await p.tools.getByRole('tab', { name: 'Helpers' }).click()
  const item = p.tools.getByRole('combobox', { name: 'Item of the list' })
  await item.selectOption('4')
  const value = p.tools.getByRole('listitem').filter({ hasText: '$.items[4].id' })
  await value.waitFor()
  await p.tools.getByRole('tab', { name: 'History' }).click()
  await expect.poll(seen).toEqual(before)
  await p.tools.getByRole('tab', { name: 'Helpers' }).click()
  await value.waitFor()
  await expect
    .poll(async () => [
      (await views(page)).at(-1)?.answer?.item,
      typeof (await start(page)).settings.historyAt?.[0]?.id,
      (await start(page)).settings.panel,
    ])
    .toEqual([4, 'number', 'helpers'])
  await comeBack(page)

  await value.waitFor()
  await expect.poll(() => item.inputValue()).toBe('4')
  await page.keyboard.press('Control+H')
  await expect.poll(seen).toEqual(before)
})

test('kill -9 loses neither tables, texts, headers, the request, its docs nor the panes', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  const grid = p.response.locator('.table-rows')
  const raw = p.response.getByRole('group', { name: 'Response body' })
  await newRequest(page)
  const grip = page.getByRole('separator', { name: 'Resize the catalog' })
  await grip.focus()
  const sizes = Number(await grip.getAttribute('aria-valuenow')) + 5 * 16
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight')
  const { width } = (await p.catalog.boundingBox())!
  await sendPath(page, '/device/devices?size=300')
  await page.keyboard.press('Escape')
  await p.response.getByRole('tab', { name: 'Table' }).click()
  const head = p.response.getByRole('columnheader', { name: /^displayName/ })
  await head.click()
  await p.response.locator('[role=columnheader][aria-sort=ascending]').waitFor()
  await scrollTo(grid, 1400, 500)
  await grid.locator('[role=row] [role=gridcell]').nth(40).waitFor()
  await expect.poll(async () => (await look(grid, '[role=gridcell]')).rows.filter(Boolean).length).toBeGreaterThan(10)
  const table = await look(grid, '[role=gridcell]')
  expect([table.top, table.left]).toEqual([1400, 500])

  await newRequest(page)
  await sendPath(page, '/device/devices?size=300')
  await page.keyboard.press('Escape')
  await p.response.getByRole('tab', { name: 'Raw', exact: true }).click()
  await p.response.getByRole('button', { name: /Wrap/ }).click()
  const wrapped = p.response.locator('[aria-label="Response body"]')
  await scrollTo(wrapped, 3000)
  const firstLine = async () => (await look(wrapped, '.line')).rows[0]
  await expect.poll(firstLine).toMatch(/.{40}/)
  const line = await firstLine()

  await newRequest(page)
  await p.method.selectOption('POST')
  await p.path.fill('/device/devices')
  await page.keyboard.press('Escape')
  await p.request.getByRole('button', { name: 'Example' }).click()
  const form = p.request.locator('#edit-panel')
  await p.tools.getByRole('tab', { name: 'Docs' }).click()
  const docs = p.tools.getByRole('group', { name: 'Documentation' })
  await docs.getByText('displayName').first().waitFor()
  await scrollTo(form, 60)
  await scrollTo(docs, 260)
  const catalog = p.catalog.locator('.scroll')
  await scrollTo(catalog, 120)
  const at = async () => [
    (await look(form, '.none')).top,
    (await look(docs, '.none')).top,
    (await look(catalog, '.none')).top,
  ]
  const before = await at()
  expect(before.every((top) => top > 0)).toBe(true)
  const last = async (i: number) => (await views(page)).at(i)!
  await expect
    .poll(async () => [
      (await last(-1)).formAt?.top,
      (await last(-1)).docs?.at.top,
      (await last(-3)).answer?.table?.at?.top,
      typeof (await last(-2)).answer?.text?.line,
      (await start(page)).settings.scroll?.catalog.top,
      JSON.stringify((await start(page)).settings).includes(`"left":${sizes}`),
    ])
    .toEqual([before[0], before[1], 1400, 'number', before[2], true])
  await comeBack(page)

  await expect.poll(async () => Math.round((await p.catalog.boundingBox())!.width)).toBe(Math.round(width))
  await expect.poll(at).toEqual(before)
  await p.tabs.nth(-3).click()
  await expect.poll(() => look(grid, '[role=gridcell]')).toEqual(table)
  await p.response.locator('[role=columnheader][aria-sort=ascending]').waitFor()
  await p.tabs.nth(-2).click()
  await expect.poll(firstLine).toBe(line)
  await expect.poll(() => raw.count()).toBe(1)
})
