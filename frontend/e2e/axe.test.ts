import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findings } from './findings'
import { hold, newRequest, parts, sendPath, suite } from './harness'
import { goOn, small, states } from './states'

const portal = suite()

describe('axe finds nothing', () => {
  test('on the sign-in page', async () => {
    const page = await portal.page({ bypassCSP: true, signedOut: true })
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('on the welcome screen', async () => {
    const page = await portal.page({ bypassCSP: true })
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    await page.getByText('Sample requests').waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('while the old response waits for the new one', async () => {
    const page = await portal.page({ bypassCSP: true })
    const p = parts(page)
    await newRequest(page)
    await sendPath(page, '/device/devices?size=5')
    const held = await hold(page)
    await page.keyboard.press('Control+Enter')
    await p.response.getByRole('button', { name: 'Cancel' }).waitFor()
    expect(await findings(page)).toEqual([])
    await held.release()
  })

  /** The page with the previous state, if axe found nothing there. */
  let last: Page | undefined

  test.each(states)('in the state $name, with large enough targets', async (state) => {
    let page = last
    last = undefined
    if (page && state.next) await goOn(page, state)
    else {
      portal.release(page)
      page = await portal.page({ width: 1280, height: 800, bypassCSP: true, fresh: true, lasting: true })
      await state.open(page)
    }
    expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
    last = page
  })
})

test('axe finds nothing in the collections with a selection, before and after a run', async () => {
  const page = await portal.page({ bypassCSP: true, user: 'viewer' })
  const p = parts(page)
  await newRequest(page)
  await p.catalog.getByRole('tab', { name: 'Collections' }).click()
  await p.catalog.getByRole('button', { name: 'Import or export' }).click()
  await page.getByRole('menuitem', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.getByRole('textbox').fill('## Mine\n# Well\ncurl /device/devices?size=1\n# Not\ncurl -X DELETE /nowhere')
  await dialog.getByRole('button', { name: 'Read' }).click()
  await dialog.getByRole('button', { name: /^Import \d/ }).click()
  await p.catalog.getByRole('treeitem', { name: 'Well' }).waitFor()
  await page.getByTestId('toast').getByRole('button').last().click()
  await p.catalog.getByRole('treeitem', { name: 'Well' }).click({ modifiers: ['Control'] })
  await p.catalog.getByRole('treeitem', { name: 'Not' }).click({ modifiers: ['Control'] })
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
  await p.catalog.getByRole('button', { name: 'Run…' }).click()
  await page.getByRole('dialog', { name: 'Run 2 entries' }).waitFor()
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
  await page.getByRole('button', { name: 'Run 2 requests' }).click()
  await p.catalog.getByRole('region', { name: 'Run' }).getByText('1 of 2 succeeded').waitFor()
  expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
})
