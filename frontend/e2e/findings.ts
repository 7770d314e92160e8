import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, Result, RunOptions, Spec } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { blocks, runWithout } from './blocks'

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  axe: { configure(how: Spec): void; run(on: Document, o: RunOptions): Promise<AxeResults> }
}

const all: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

/** Runs only the rules whose result depends on the theme. */
const ofColours: RunOptions = { ...all, runOnly: ['color-contrast', 'link-in-text-block'] }

/** Skips tree rows with buttons: axe counts the buttons as label text, but they have their own names. */
const labels = [{ id: 'label-content-name-mismatch', selector: ':not([role="treeitem"]:has(button))' }]

/** The blocks without findings in both themes. */
const clean = new Set<string>()

/**
 * Returns what axe finds on the page in both themes, short enough for a failure message. It skips blocks that were
 * clean on an earlier page, except in rules about the whole page. If it finds anything, it checks the full page again.
 */
export async function findings(on: Page): Promise<string[]> {
  if (!(await on.evaluate(() => 'axe' in window))) {
    await on.evaluate(source)
    await on.evaluate((rules) => (window as unknown as Axe).axe.configure({ rules }), labels)
  }
  await look(on, 'dark')
  const keys = await on.evaluate(blocks)
  const known = keys.map((key) => key !== null && key.some((k) => clean.has(k)))
  const found = await runRest(on, known, all)
  await look(on, 'light')
  found.push(...(await runRest(on, known, ofColours)))
  if (!found.length) {
    for (const key of keys) if (key) clean.add(key[1])
    return []
  }
  const light = await run(on, ofColours)
  await look(on, 'dark')
  return [...texts('dark', await run(on, all)), ...texts('light', light)]
}

async function look(on: Page, theme: 'dark' | 'light') {
  await on.emulateMedia({ colorScheme: theme })
  await expect.poll(() => on.evaluate(atRest, theme)).toBe(true)
}

/** Reports whether the page has the theme and all finite animations are over: colors are not final before that. */
function atRest(theme: string) {
  const ends = (a: Animation) => a.effect?.getComputedTiming().endTime !== Infinity
  const running = document.getAnimations().some((a) => a.playState === 'running' && ends(a))
  return document.documentElement.dataset.theme === theme && !running
}

const run = async (on: Page, options: RunOptions) =>
  (await on.evaluate((o) => (window as unknown as Axe).axe.run(document, o), options)).violations

const runRest = async (on: Page, known: boolean[], options: RunOptions) =>
  (await on.evaluate(runWithout, [known, options] as [boolean[], RunOptions])).violations

function texts(theme: string, violations: Result[]): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${theme}: ${id}: ${target.join(' ')} ${failureSummary?.split('\n')[1]?.trim() ?? ''}`,
    ),
  )
}
