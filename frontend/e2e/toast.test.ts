import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, suite, until } from './harness'

const portal = suite()

/** What of the page lies under the message. */
function covered(page: Page): Promise<string[]> {
  return page.getByTestId('toast').evaluate((area) => {
    const box = (area.firstElementChild ?? area).getBoundingClientRect()
    if (!box.height) return ['there is no message']
    const found = new Set<string>()
    for (let x = box.left; x <= box.right; x += 8)
      for (let y = box.top; y <= box.bottom; y += 4)
        for (const e of document.elementsFromPoint(x, y))
          if (!area.contains(e) && e.matches('main *, header *, footer *')) found.add(`${e.tagName} ${e.className}`)
    return [...found]
  })
}

test.each([
  [1440, 900],
  [1280, 800],
  [640, 400],
])('a message covers nothing of a page of %i × %i', async (width, height) => {
  const page = await portal.page({ fresh: true, width, height })
  await page.route('**/explorer/start', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({
      response: answer,
      json: { ...(await answer.json()), notice: 'This is said at the start.\nIt stays until it is dismissed.' },
    })
  })
  await page.reload()
  const message = page.getByTestId('toast')
  await until(message, /^This is said at the start/)
  await expect.poll(() => covered(page)).toEqual([])

  await page.goto(`${portal.url}/#monitor/alerts`)
  const list = page.getByRole('grid', { name: 'Alerts' })
  await list.getByRole('row').nth(2).waitFor()
  await expect.poll(() => covered(page)).toEqual([])
  const [end, top] = await Promise.all([list.boundingBox(), message.boundingBox()])
  expect(end!.y + end!.height).toBeLessThanOrEqual(top!.y)

  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'API' }).click()
  await newRequest(page)
  await expect.poll(() => page.locator('html').getAttribute('data-toast')).toBe(width < 1000 ? 'page' : 'catalog')
  await expect.poll(() => covered(page)).toEqual([])
  for (const keys of ['Control+b', 'Control+Alt+b']) {
    await page.keyboard.press(keys)
    await expect.poll(() => covered(page)).toEqual([])
  }

  const foot = async () => (await page.getByRole('main').boundingBox())!.height
  const less = await foot()
  await message.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(foot).toBeGreaterThanOrEqual(less)
  await expect.poll(() => page.locator('html').getAttribute('data-toast')).toBe(null)
})

test('what has the focus stays in sight when a message comes', async () => {
  const page = await portal.page({ fresh: true })
  let say = () => {}
  const asked = new Promise<void>((go) => (say = go))
  await page.route('**/explorer/events', async (route) => {
    await asked
    await route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 100000\n\nevent: link\ndata: ${JSON.stringify({ problem: 'This opens nothing here' })}\n\n`,
    })
  })
  await page.reload()
  await newRequest(page)
  const { catalog, search } = parts(page)
  await search.fill('device')
  await catalog.getByRole('treeitem').nth(20).waitFor()
  await search.press('ArrowDown')
  const room = () =>
    page.evaluate(
      () =>
        document.querySelector('[data-pane="catalog"]')!.getBoundingClientRect().bottom -
        document.activeElement!.getBoundingClientRect().bottom,
    )
  for (let n = 0; n < 40 && (await room()) > 40; n++) await page.keyboard.press('ArrowDown')
  expect(await room()).toBeLessThan(40)
  expect(await catalog.evaluate((c) => c.contains(document.activeElement))).toBe(true)
  say()
  await until(page.getByTestId('toast'), /^This opens nothing here/)
  await expect.poll(() => covered(page)).toEqual([])
  await expect.poll(room).toBeGreaterThanOrEqual(0)
})

test('what a pasted command loses is a short message, and told in full when asked', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  await newRequest(page)
  await p.path.focus()
  const command =
    "curl https://acme.example/a -u me:x -b 's=1' -F file=@x --form b=2 -d @body.json --data-urlencode a@b -d @-"
  await p.path.evaluate((input, text) => {
    const data = new DataTransfer()
    data.setData('text', text)
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  }, command)
  const message = page.getByTestId('toast')
  await until(message, /^Pasted as a request\. 7 parts were ignored or changed\./)
  expect((await message.boundingBox())!.height).toBeLessThan(120)
  await message.getByText('Show them').click()
  await message.getByText('The file body.json was not read. Paste its contents into the body.').waitFor()
  await expect.poll(() => covered(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/paste-notes.png` })
  await message.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => p.path.inputValue()).toBe('')
})
