import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a screen of the Monitor view in both themes, short enough to read in a failure. */
export async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const options: RunOptions = {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'label-content-name-mismatch': { enabled: true } }, // experimental
    resultTypes: ['violations'],
  }
  const found: string[] = []
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme)
    // Colours on their way from one to another are not what people read.
    await expect
      .poll(() =>
        page.evaluate(
          () =>
            document
              .getAnimations()
              .filter((a) => a.playState === 'running' && a.effect?.getComputedTiming().endTime !== Infinity).length,
        ),
      )
      .toBe(0)
    const results = await page.evaluate(
      (o) =>
        (window as unknown as { axe: { run(on: Element, o: RunOptions): Promise<AxeResults> } }).axe.run(
          document.querySelector('main')!,
          o,
        ),
      options,
    )
    found.push(
      ...results.violations.flatMap((v) =>
        v.nodes.map(
          (n) => `${theme}: ${v.id}: ${n.target.join(' ')} ${n.failureSummary?.split('\n')[1]?.trim() ?? ''}`,
        ),
      ),
    )
  }
  return found
}
