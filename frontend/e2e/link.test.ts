import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Link } from '../src/client'
import { parts, suite, until } from './harness'

const portal = suite()

/** A page that gets the event of a link, as if it had been opened on the desktop. */
async function told(link: Link): Promise<{ page: Page; sent: string[] }> {
  const page = await portal.page({ fresh: true })
  const sent: string[] = []
  page.on('request', (r) => {
    if (/\/explorer\/(send|pages|batch|changes|goes)/.test(r.url())) sent.push(r.url())
  })
  await page.route('**/explorer/events', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 100000\n\nevent: link\ndata: ${JSON.stringify(link)}\n\n`,
    }),
  )
  await page.reload()
  return { page, sent }
}

test('a link from outside shows a screen, a device, or a request that is not sent', async () => {
  const alerts = await told({ screen: 'alerts' })
  await alerts.page.getByRole('region', { name: 'Alerts', exact: true }).waitFor()
  const device = await told({ screen: 'fleet', id: '1' })
  await device.page.getByRole('button', { name: 'Back to the fleet' }).waitFor()

  const { page, sent } = await told({
    call: { method: 'DELETE', path: '/device/devices/7', query: [{ key: 'deleteHard', value: '<b>true</b>' }] },
  })
  await until(page.getByTestId('toast'), /A link opened this request. Review it before you send it/)
  const p = parts(page)
  await page.getByRole('tab', { name: /DELETE \/device\/devices\/7/ }).waitFor()
  await expect.poll(() => page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab').count()).toBe(1) // no empty one beside it
  await expect.poll(() => page.getByRole('combobox', { name: 'Method' }).inputValue()).toBe('DELETE')
  await until(p.status, /^Ready/)
  expect(sent).toEqual([])
})

test('the address in a mail leads to its page, in a portal that is open and in one that is opened by it', async () => {
  const page = await portal.page({ fresh: true })
  await page.goto(`${portal.url}/#monitor/fleet/1`)
  await page.getByRole('button', { name: 'Back to the fleet' }).waitFor()
  await expect.poll(() => page.url()).not.toContain('#')
  await page.goto('about:blank')
  await page.goto(`${portal.url}/#monitor/alerts`)
  await page.getByRole('region', { name: 'Alerts', exact: true }).waitFor()
})

test('what is no link is told in a sentence, as text', async () => {
  const { page } = await told({
    problem: '“<img src=x onerror=alert(1)>” cannot be opened: links begin with spyglass://',
  })
  await until(page.getByTestId('toast'), /“<img src=x onerror=alert\(1\)>” cannot be opened/)
  await page.getByRole('main', { name: 'Welcome' }).waitFor()
})
