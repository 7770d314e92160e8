import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hold, newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

/** Returns the controls outside the window that scrolling cannot reach, and the controls under another control. */
function lost(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (e: Element | null): boolean =>
      e !== null && (/(auto|scroll)/.test(getComputedStyle(e).overflow) || scrolls(e.parentElement))
    const named = (e: Element) =>
      `${e.tagName.toLowerCase()} “${(e.getAttribute('aria-label') || e.textContent || '').trim().slice(0, 40)}”`
    return [
      ...document.querySelectorAll<HTMLElement>('button, input, select, [role="tab"], [role="separator"]'),
    ].flatMap((e) => {
      const box = e.getBoundingClientRect()
      if (
        box.width < 2 ||
        box.height < 2 ||
        !e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
        getComputedStyle(e).clipPath !== 'none' ||
        scrolls(e.parentElement)
      )
        return []
      if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
        return [`outside: ${named(e)}`]
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
      const fine =
        !top ||
        e.contains(top) ||
        top.contains(e) ||
        e.matches('[role="separator"]') ||
        top.closest('label')?.contains(e)
      return fine ? [] : [`under ${named(top)}: ${named(e)}`]
    })
  })
}

test('at 200 % zoom nothing is lost, and the top bar shows everything in little space', async () => {
  const page = await portal.page({ fresh: true, width: 640, height: 400 })
  await step('on the welcome screen and in the palette', async () => {
    expect(await lost(page)).toEqual([])
    await page.keyboard.press('Control+K')
    await parts(page).palette.getByRole('option').first().waitFor()
    const box = (await parts(page).palette.boundingBox())!
    expect([box.x >= 0, box.y >= 0, box.x + box.width <= 640, box.y + box.height <= 400]).toEqual([
      true,
      true,
      true,
      true,
    ])
    await page.keyboard.press('Escape')
  })

  await step('in the dialogs of settings and shortcuts', async () => {
    for (const [key, name] of [
      ['Control+,', 'Settings'],
      ['Control+/', 'Keyboard shortcuts'],
    ]) {
      await page.keyboard.press(key)
      const box = (await page.getByRole('dialog', { name }).boundingBox())!
      expect([box.x >= 0, box.y >= 0, box.x + box.width <= 640, box.y + box.height <= 400], name).toEqual([
        true,
        true,
        true,
        true,
      ])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name }).waitFor({ state: 'hidden' })
    }
  })

  await step('in the Explorer, with either sidebar opened', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=5')
    await page.keyboard.press('Escape')
    const covered = () =>
      parts(page)
        .response.getByRole('tab')
        .evaluateAll((tabs) =>
          tabs.flatMap((tab) => {
            const { left, right, top, height } = tab.getBoundingClientRect()
            const reached = [left + 2, right - 2].every((x) =>
              tab.contains(document.elementFromPoint(x, top + height / 2)),
            )
            return reached ? [] : [tab.textContent]
          }),
        )
    expect([await lost(page), await covered()]).toEqual([[], []])
    await page.keyboard.press('Control+B')
    await parts(page).catalog.waitFor()
    expect([await lost(page), await covered()]).toEqual([[], []])
    await page.keyboard.press('Control+Alt+B')
    await parts(page).tools.waitFor()
    expect([await lost(page), await covered()]).toEqual([[], []])
    await parts(page).response.getByRole('tab', { name: 'Snippets' }).click()
    await parts(page).response.getByRole('radio', { name: 'Python' }).waitFor()
  })

  await step('on the screens of the Monitor', async () => {
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
    const rows = (grid: string) => page.getByRole('grid', { name: grid, exact: true }).getByRole('row').nth(1)
    const screens: [screen: string, ready: () => Promise<unknown>][] = [
      ['Overview', () => rows('Active alerts').waitFor()],
      ['Fleet', () => rows('Devices').waitFor()],
      [
        'Fleet',
        async () => {
          await rows('Devices').getByRole('button').first().click()
          await page.getByRole('tab', { name: 'Charts' }).waitFor()
        },
      ],
      [
        'Alerts',
        async () => {
          await rows('Alerts').click()
          await page.getByRole('region', { name: 'Alert', exact: true }).getByText('opened as').first().waitFor()
        },
      ],
      ['Map', () => page.getByRole('application', { name: 'Devices on the map' }).waitFor()],
      ['DataSources', () => rows('DataSources').waitFor()],
      ['Reports', () => rows('Reports').waitFor()],
      ['Settings', () => rows('Users').waitFor()],
      ['Demo', () => page.getByRole('button', { name: 'Start Core switch down' }).waitFor()],
    ]
    const found: Record<string, unknown> = {}
    for (const [screen, ready] of screens) {
      await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: screen }).click()
      await ready()
      const { scrollWidth, scrollHeight } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        scrollHeight: document.documentElement.scrollHeight,
      }))
      found[screen] = [
        ...((found[screen] as unknown[] | undefined) ?? []),
        ...(await lost(page)),
        ...(scrollWidth > 640 || scrollHeight > 400 ? ['the window scrolls'] : []),
      ]
    }
    const none = screens.map(([screen]) => [screen, []])
    expect(found).toEqual(Object.fromEntries(none))
    await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Overview' }).click()
    // the click scrolls a narrow list sideways
    await page.getByRole('grid', { name: 'Active alerts' }).getByRole('button', { name: /^Ack / }).first().click()
    await page.getByRole('dialog', { name: /^Acknowledge/ }).waitFor()
  })

  await step('in the top bar, at the smallest width that shows everything', async () => {
    for (const width of [960, 1101, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const lock = (await page.getByRole('button', { name: 'Read-only lock' }).boundingBox())!
      const down = (await page.locator('.portal .ic').last().boundingBox())!
      expect(down.x + down.width, `at ${width}`).toBeLessThanOrEqual(lock.x)
    }
  })
})

test('larger text covers no view of a response, and methods stay beside their paths at every row height', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=5')
  await page.keyboard.press('Escape')
  await p.response.getByRole('tab', { name: 'Table' }).click()
  await p.response.getByRole('button', { name: 'Columns' }).waitFor()
  const settings = page.getByRole('dialog', { name: 'Settings' })
  const set = async (group: string, name: string) => {
    await page.keyboard.press('Control+,')
    await settings.getByRole('group', { name: group }).getByRole('radio', { name, exact: true }).check()
    await page.keyboard.press('Escape')
    await settings.waitFor({ state: 'hidden' })
  }
  await set('Font size', 'Larger')
  for (const tab of await p.response.getByRole('tab').all()) {
    expect(
      await tab.evaluate((e) => {
        const { left, right, top, height } = e.getBoundingClientRect()
        return [left + 5, right - 5].every((x) => e.contains(document.elementFromPoint(x, top + height / 2)))
      }),
      await tab.innerText(),
    ).toBe(true)
  }
  const middle = (e: Element) => e.getBoundingClientRect().top + e.getBoundingClientRect().height / 2
  for (const density of ['Roomy', 'Compact', 'Normal']) {
    await set('Density', density)
    const row = p.catalog.getByRole('treeitem', { level: 2 }).first()
    expect(
      Math.abs((await row.locator('.m').evaluate(middle)) - (await row.locator('.path').evaluate(middle))),
      density,
    ).toBeLessThan(3)
  }
})

test('nothing shifts while the page loads or a request is sent', async () => {
  const page = await portal.page({ fresh: true })
  const kept = page.waitForResponse((r) => r.url().endsWith('/explorer/settings') && r.request().method() === 'PATCH')
  await newRequest(page)
  await kept // the page has saved its view: a pending save could arrive after the reload
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const e of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!e.hadRecentInput) shifts.push(e.value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.reload()
  await parts(page).path.waitFor()
  for (const path of ['/device/devices?size=50', '/device/groups']) {
    await page.keyboard.press('Control+L')
    await page.keyboard.type(path) // layout shifts during input do not count
    await page.keyboard.press('Escape')
    const held = await hold(page)
    const width = await parts(page).send.evaluate((e) => e.getBoundingClientRect().width)
    await page.keyboard.press('Control+Enter')
    expect(await parts(page).cancel.evaluate((e) => e.getBoundingClientRect().width)).toBeCloseTo(width, 0)
    // layout shifts within 500 ms of a key press do not count
    await until(parts(page).response.getByText(/^([6-9]\d\d ms|\d.* s)$/), /./)
    await held.release()
    await until(parts(page).status, /^200 OK/)
    await parts(page).tree.waitFor()
  }
  expect(
    await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.reduce((a, b) => a + b, 0)),
  ).toBeLessThan(0.02)
})

test('texts are large enough, regions have names, and motion can be reduced', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  await step('no text is smaller than 12 pixels', async () => {
    const small = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('body *')].flatMap((e) => {
          const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent!.trim())
          return own && parseFloat(getComputedStyle(e).fontSize) < 12
            ? [`${e.tagName} ${e.textContent!.trim().slice(0, 30)}`]
            : []
        }),
      )
    expect(await small()).toEqual([])
    await newRequest(page)
    await sendPath(page, '/device/devices?size=5')
    expect(await small()).toEqual([])
    await page.keyboard.press('Control+,')
    await page.getByRole('dialog', { name: 'Settings' }).waitFor()
    expect(await small()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Settings' }).waitFor({ state: 'hidden' })
  })

  await step('the regions have names for screen readers', async () => {
    await sendPath(page, '/device/devices?size=2', /· 2 items/)
    for (const part of [p.catalog, p.request, p.response, p.tools, p.method, p.path, p.send, p.search, p.tree])
      await expect.poll(() => part.count()).toBe(1)
    for (const name of ['JSON', 'Raw', 'Headers', 'Snippets'])
      await expect.poll(() => p.response.getByRole('tab', { name, exact: true }).count()).toBe(1)
    for (const name of ['Variables', 'History', 'Helpers', 'Docs'])
      await expect.poll(() => p.tools.getByRole('tab', { name }).count()).toBe(1)
    await expect.poll(() => p.status.textContent()).toMatch(/^\s*200 OK · \d+ ms · \d+ B · 2 items/)
    await expect.poll(() => p.catalog.getByRole('tree').ariaSnapshot()).toMatch(/treeitem "Devices \d+" \[expanded\]/)
  })

  await step('reduced motion stops animations', async () => {
    const page = await portal.page({ fresh: true }) // the harness sets reduced motion
    await newRequest(page)
    await sendPath(page, '/device/devices?size=2')
    const moving = await page.evaluate(
      () =>
        document
          .getAnimations()
          .filter((a) => ((a.effect?.getComputedTiming().duration as number) ?? 0) > 0 && a.playState === 'running')
          .length,
    )
    expect(moving).toBe(0)
  })

  await step('selecting a tab moves none of them', async () => {
    await newRequest(page)
    const { tools, response } = parts(page)
    for (const list of [tools, response]) {
      const tabs = list.getByRole('tablist').first().getByRole('tab')
      const left = () => tabs.evaluateAll((all) => all.map((t) => t.getBoundingClientRect().left))
      await tabs.first().click()
      const before = await left()
      await tabs.last().click()
      expect(await left()).toEqual(before)
    }
  })
})

test('the frame is painted before the script loads, in place, in both themes', async () => {
  const page = await portal.page({ fresh: true })
  const look = () =>
    page.evaluate(() =>
      ['.topbar', '.brand', '.cmdfield', '.seg'].map((part) => {
        const e = document.querySelector(part)!
        return [
          part,
          e.checkVisibility(),
          e.getBoundingClientRect().toJSON(),
          getComputedStyle(e).color,
          getComputedStyle(e).backgroundColor,
        ]
      }),
    )
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme)
    const after = await look()
    const held = await hold(page, /assets\/index-.*\.js$/)
    await page.reload({ waitUntil: 'commit' })
    await page.locator('.first .seg').waitFor()
    await expect.poll(look, { message: theme }).toEqual(after)
    expect(await page.getByRole('button').count()).toBe(0) // screen readers skip the placeholder
    await held.release()
    await page.getByRole('button', { name: 'Welcome screen' }).waitFor()
    expect(await page.locator('.first').count()).toBe(0)
  }
})

test('no frame is painted while signed out', async () => {
  const page = await portal.page({ signedOut: true })
  const held = await hold(page, /assets\/index-.*\.js$/)
  await page.reload({ waitUntil: 'commit' })
  await expect
    .poll(() => page.locator('.first').evaluateAll((found) => found.map((e) => e.checkVisibility())))
    .toEqual([false])
  await held.release()
  await page.getByRole('textbox', { name: 'User name' }).waitFor()
})
