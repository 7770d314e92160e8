import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

/** Returns the positions of the panes. */
const panes = (page: Page) =>
  page
    .locator('main, [data-pane], [role="grid"]')
    .evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()))

/** Reports whether the message covers the focused element. */
const coversFocus = (page: Page) =>
  page.getByTestId('toast').evaluate((area) => {
    const [box, focus] = [area, document.activeElement!].map((e) => e.getBoundingClientRect())
    return box.right > focus.left && box.left < focus.right && box.bottom > focus.top && box.top < focus.bottom
  })

test('a message shifts nothing at any window size', async () => {
  const page = await portal.page({ fresh: true })
  let size = ''
  await page.route('**/explorer/start', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({
      response: answer,
      json: {
        ...(await answer.json()),
        notice: `This is said at the start, ${size}.\nIt stays until it is dismissed.`,
      },
    })
  })
  await page.goto(`${portal.url}/#monitor/alerts`)
  for (const [width, height] of [
    [1440, 900],
    [1280, 800],
    [640, 400],
  ]) {
    await step(`${width} × ${height}`, async () => {
      size = `${width} × ${height}` // a new text, because a dismissed message does not appear again
      await page.setViewportSize({ width, height })
      await page.reload()
      const message = page.getByTestId('toast')
      await until(message, /^This is said at the start/)
      await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(2).waitFor()
      const box = (await message.boundingBox())!
      expect(box.x).toBe(12)
      expect(box.x + box.width).toBeLessThanOrEqual(width - 12)
      expect(box.y + box.height).toBeLessThan((await page.getByRole('contentinfo').boundingBox())!.y)

      const during = await panes(page)
      await message.getByRole('button', { name: 'Dismiss' }).click()
      await until(message, /^$/)
      expect(await panes(page)).toEqual(during)
    })
  }
})

test('a message does not cover the focus, and is short with details on request', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('a message does not cover what has the focus, also when the focus moves', async () => {
    let say = () => {}
    const released = new Promise<void>((go) => (say = go))
    await page.route('**/explorer/events', async (route) => {
      await released
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
    const message = page.getByTestId('toast')
    say()
    await until(message, /^This opens nothing here/)
    await expect.poll(() => coversFocus(page)).toBe(false)
    expect((await message.boundingBox())!.x).toBeGreaterThan(720)
    await search.focus()
    await expect.poll(async () => (await message.boundingBox())!.x).toBe(12)
    await message.getByRole('button', { name: 'Dismiss' }).click()
  })

  await step('losses of a pasted command are a short message with details on request', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
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
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/paste-notes.png` })
    await message.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => p.path.inputValue()).toBe('')
  })
})
