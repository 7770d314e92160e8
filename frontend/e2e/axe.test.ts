import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hold, newRequest, parts, sendPath, suite } from './harness'
import { small, states } from './states'

const portal = suite()
const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The grid around these rows has the focus, and its keys scroll them; axe looks for one inside. */
const scrolledFromOutside = '.table-rows'

/** The rules that a theme has a say in; to the others the page is the same in both. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** What axe finds in both themes, short enough to read in a failure. */
async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.addScriptTag({ content: await readFile(source, 'utf8') })
  const options: RunOptions = {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'label-content-name-mismatch': { enabled: false } }, // experimental: it takes a description inside a button for its label
    resultTypes: ['violations'],
  }
  const found: string[] = []
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme)
    const asked = theme === 'dark' ? options : { ...options, runOnly: ofColours }
    const results = await page.evaluate(
      (o) =>
        (window as unknown as { axe: { run(on: Document, o: RunOptions): Promise<AxeResults> } }).axe.run(document, o),
      asked,
    )
    found.push(
      ...results.violations.flatMap((v) =>
        v.nodes
          .filter((n) => v.id !== 'scrollable-region-focusable' || n.target[0] !== scrolledFromOutside)
          .map((n) => `${theme}: ${v.id}: ${n.target.join(' ')} ${n.failureSummary?.split('\n')[1]?.trim() ?? ''}`),
      ),
    )
  }
  return found
}

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

  test('while the old answer waits for the new one', async () => {
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

  test.each(states)('in the state: $name, and everything can be pointed at', async ({ open }) => {
    const page = await portal.page({ width: 1280, height: 800, bypassCSP: true, fresh: true })
    await open(page)
    expect({ small: await small(page), axe: await findings(page) }).toEqual({ small: [], axe: [] })
  })
})

test('axe finds nothing in the collections while several are chosen, before a run and after it', async () => {
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
