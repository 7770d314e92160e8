import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions, Spec } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  axe: { configure(how: Spec): void; run(on: Document, o: RunOptions): Promise<AxeResults> }
}

const all: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

/** The rules whose result depends on the theme. */
const ofColours: RunOptions = { ...all, runOnly: ['color-contrast', 'link-in-text-block'] }

/** Axe takes the buttons inside a row of a tree for text of its label; they have names of their own. */
const labels = [{ id: 'label-content-name-mismatch', selector: ':not([role="treeitem"]:has(button))' }]

/** What axe finds on the page in both themes, short enough to read in a failure. */
export async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(source)
    await page.evaluate((rules) => (window as unknown as Axe).axe.configure({ rules }), labels)
  }
  const found: string[] = []
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme)
    await expect.poll(() => page.evaluate(running)).toBe(0)
    const { violations } = await page.evaluate(
      (o) => (window as unknown as Axe).axe.run(document, o),
      theme === 'dark' ? all : ofColours,
    )
    for (const { id, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${theme}: ${id}: ${target.join(' ')} ${failureSummary?.split('\n')[1]?.trim() ?? ''}`)
  }
  return found
}

/** How many animations that end are running: colours on their way to others are not what people read. */
function running() {
  const ends = (a: Animation) => a.effect?.getComputedTiming().endTime !== Infinity
  return document.getAnimations().filter((a) => a.playState === 'running' && ends(a)).length
}
