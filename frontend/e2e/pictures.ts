/**
 * Takes screenshots of the program SPYGLASS_BIN (default build/bin/spyglass).
 *
 *   npm run screenshots   for the README, in both themes, into build/pictures
 *   npm run screens       every state, in all looks, into the folder SCREENS; screens.mjs compares them
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { describe, test } from 'vitest'
import { suite } from './harness'
import { states, type State } from './states'

const portal = suite()
const mode = import.meta.env.MODE
const themes = ['dark', 'light'] as const

interface Look {
  name: string
  width: number
  height: number
  /** Device pixels per CSS pixel. */
  scale?: number
  reducedMotion?: 'reduce'
  forcedColors?: 'active'
}

const every: Look[] = [
  { name: '1440x900', width: 1440, height: 900 },
  { name: '800x600', width: 800, height: 600 },
  { name: '1440x900-zoom-200', width: 720, height: 450, scale: 2 },
]
/** Additional looks for the states with `more`. */
const more: Look[] = [
  { name: '3840x2160', width: 3840, height: 2160 },
  { name: 'reduced-motion', width: 1440, height: 900, reducedMotion: 'reduce' },
  { name: 'forced-colors', width: 1440, height: 900, forcedColors: 'active' },
]

describe.runIf(mode === 'readme')('screenshots of the README', () => {
  const folder = fileURLToPath(new URL('../../build/pictures', import.meta.url))
  test.for(states.filter((s) => s.readme))('$readme', async ({ open, readme }) => {
    await portal.filled
    for (const theme of themes) {
      const page = await portal.page({ theme, fresh: true })
      await open(page)
      // a live view never becomes idle
      await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {})
      await writeFile(join(folder, `${readme}-${theme}.webp`), await webp(page.context(), await page.screenshot()))
    }
  })
})

describe.runIf(mode === 'screens')('screenshots to compare', () => {
  const folder = process.env.SCREENS ?? ''
  const wanted = process.env.SCREENS_OF ?? ''
  const shown = states.filter((s) => s.name.includes(wanted))
  test.for(shown)('$name', async (state) => {
    await portal.filled
    await mkdir(folder, { recursive: true })
    const page = await portal.page({ fresh: true, bypassCSP: true })
    await page.addStyleTag({ content: still })
    await state.open(page)
    await page.addStyleTag({ content: still }) // a sign-out reloads the page
    // A pointer over a message keeps it open.
    await page
      .getByTestId('toast')
      .locator('.toast')
      .evaluateAll((all) => all.forEach((e) => e.dispatchEvent(new PointerEvent('pointerenter'))))
    const session = await page.context().newCDPSession(page)
    for (const look of [...every, ...(state.more ? more : [])])
      for (const theme of themes) await write(folder, state, look, theme, await picture(page, session, look, theme))
  })
})

/** Stops all animations and hides a chart that depends on real time. */
const still =
  '*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important }' +
  '[aria-label^="Chart of the recording"] canvas { visibility: hidden }'

async function write(folder: string, { name }: State, look: Look, theme: string, png: Buffer) {
  await writeFile(join(folder, `${name.replace(/[^\w]+/g, '-')}.${look.name}.${theme}.png`), png)
}

/** Returns a screenshot of the page in a look, as soon as two in a row are equal. */
async function picture(page: Page, session: CDPSession, look: Look, theme: 'dark' | 'light'): Promise<Buffer> {
  const { width, height, scale = 1, reducedMotion = 'no-preference', forcedColors = 'none' } = look
  await page.emulateMedia({ colorScheme: theme, reducedMotion, forcedColors })
  await session.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false })
  let [last, now] = ['', '']
  for (let tries = 0; tries < 40 && (!now || now !== last); tries++) {
    if (now) await page.waitForTimeout(100)
    await page.evaluate(settle)
    last = now
    now = (await session.send('Page.captureScreenshot', { format: 'png' })).data
  }
  return Buffer.from(now, 'base64')
}

/** Replaces texts that differ on each run: ports, folders, measured times. */
function settle() {
  const same: [RegExp, string][] = [
    [/127\.0\.0\.1:\d+/g, '127.0.0.1:8585'],
    [/spyglass-e2e-\w+/g, 'spyglass'],
    [/(?<![\d,.])\d+(\.\d+)? ms\b/g, '12 ms'],
    [/\b\d+ samples?\b/g, '3 samples'],
    [/\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\b/g, 'Thu, 15 Jan 2026 09:00:00 GMT'],
    [/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '01234567-89ab-4cde-8f01-23456789abcd'],
  ]
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement!.closest('main.monitor')) continue // the monitor uses the fixed clock
    const text = same.reduce((t, [what, by]) => t.replace(what, by), node.nodeValue ?? '')
    if (text !== node.nodeValue) node.nodeValue = text
  }
}

/** Converts a PNG to WebP, which has a fifth of the size and keeps text sharp. */
async function webp(context: BrowserContext, png: Buffer): Promise<Buffer> {
  const page = await context.newPage()
  const url = await page.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      canvas.getContext('2d')!.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.85)
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  await page.close()
  return Buffer.from(url.split(',')[1], 'base64')
}
