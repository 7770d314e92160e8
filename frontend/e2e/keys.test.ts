import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { endpoint, newRequest, parts, sendPath, suite, tabNames, until } from './harness'
import { step } from './story'

const portal = suite()

const focusIn = (page: Page, selector: string) =>
  expect.poll(() => page.evaluate((s) => document.activeElement?.closest(s) != null, selector)).toBe(true)

/** Opens two requests; the second is GET /device/groups/2. */
async function two(page: Page) {
  await newRequest(page)
  await parts(page).path.fill('/device/groups/1')
  await newRequest(page)
  await parts(page).path.fill('/device/groups/2')
  await page.keyboard.press('Escape')
}

/** Adds the name of the step to its failure. */
async function named(name: string, see: () => Promise<unknown>) {
  try {
    await see()
  } catch (e) {
    throw new Error(`${name}: ${(e as Error).message}`, { cause: e })
  }
}

interface Row {
  keys: string[]
  does: string
  first?(): Promise<unknown>
  see(): Promise<unknown>
  /** Restores the start of every row: two open requests, with the focus in the path of the second. */
  back?(): Promise<unknown>
}

/** Lists the keys with their visible effects. */
function table(page: Page): Row[] {
  const p = parts(page)
  const press = (key: string) => page.keyboard.press(key)
  const path = (value: string) => expect.poll(() => p.path.inputValue()).toBe(value)
  const tabs = (count: number) => expect.poll(() => p.tabs.count()).toBe(count)
  const dialog = (name: string) => page.getByRole('dialog', { name })
  const closeTab = async () => {
    await press('Control+W')
    await tabs(2)
  }
  const shut = (name: string) => async () => {
    await press('Escape')
    await dialog(name).waitFor({ state: 'hidden' })
  }
  const panel = (name: string) => p.tools.getByRole('tab', { name, selected: true }).waitFor()
  let sent = 0
  page.on('request', (r) => {
    if (r.url().endsWith('/explorer/send')) sent++
  })
  return [
    {
      keys: ['Control+Enter', 'F5'],
      does: 'send',
      first: async () => {
        sent = 0
      },
      see: async () => {
        await expect.poll(() => sent).toBe(1)
        await until(p.status, /^200 OK/)
      },
    },
    {
      keys: ['Control+K', 'Control+Shift+P', 'Control+P'],
      does: 'open the palette',
      see: () => p.command.waitFor(),
      back: shut('Command palette'),
    },
    { keys: ['Control+T', 'Control+N'], does: 'open a new request', see: () => tabs(3), back: closeTab },
    {
      keys: ['Control+W'],
      does: 'close the tab',
      see: () => expect.poll(() => tabNames(page)).toEqual(['GET /device/groups/1']),
      back: async () => {
        await press('Control+Shift+T')
        await tabs(2)
      },
    },
    {
      keys: ['Control+Shift+T'],
      does: 'open it again',
      first: async () => {
        await press('Control+W')
        await tabs(1)
      },
      see: () => expect.poll(() => tabNames(page)).toContain('GET /device/groups/2'),
    },
    {
      keys: ['Control+Tab', 'Control+Shift+Tab', 'Control+1'],
      does: 'go to the other tab',
      see: () => path('/device/groups/1'),
    },
    {
      keys: ['Control+2', 'Control+9'],
      does: 'go to the last tab',
      first: async () => {
        await p.tabs.first().click()
        await path('/device/groups/1')
      },
      see: () => path('/device/groups/2'),
    },
    {
      keys: ['Control+D'],
      does: 'duplicate the tab',
      see: () =>
        expect.poll(async () => (await tabNames(page)).filter((n) => n === 'GET /device/groups/2').length).toBe(2),
      back: closeTab,
    },
    {
      keys: ['F2'],
      does: 'rename the tab',
      see: () => page.getByRole('textbox', { name: 'Tab name' }).waitFor(),
      back: () => press('Escape'),
    },
    {
      keys: ['Control+L'],
      does: 'go to the path',
      first: () => p.search.focus(),
      see: () => focusIn(page, '[role="combobox"][aria-label="Path"]'),
    },
    { keys: ['Control+E'], does: 'show variables', see: () => panel('Variables') },
    { keys: ['Control+H'], does: 'show the history', see: () => panel('History') },
    {
      keys: ['Control+Shift+F'],
      does: 'search the catalog',
      see: () => focusIn(page, 'input[aria-label="Search endpoints"]'),
    },
    {
      keys: ['Control+B'],
      does: 'hide the catalog',
      see: () => p.catalog.waitFor({ state: 'detached' }),
      back: async () => {
        await press('Control+B')
        await p.catalog.waitFor()
      },
    },
    {
      keys: ['Control+Alt+B'],
      does: 'hide the tools',
      see: () => p.tools.waitFor({ state: 'detached' }),
      back: async () => {
        await press('Control+Alt+B')
        await p.tools.waitFor()
      },
    },
    { keys: ['F6'], does: 'go to the next pane', see: () => focusIn(page, '[data-pane="response"]') },
    { keys: ['Shift+F6'], does: 'go to the pane before', see: () => focusIn(page, '[data-pane="catalog"]') },
    { keys: ['Control+,'], does: 'open the settings', see: () => dialog('Settings').waitFor(), back: shut('Settings') },
    {
      keys: ['Control+/'],
      does: 'open the sheet of shortcuts',
      see: () => dialog('Keyboard shortcuts').waitFor(),
      back: shut('Keyboard shortcuts'),
    },
  ]
}

test('every keyboard shortcut works', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await two(page)
  for (const { keys, does, first, see, back } of table(page))
    for (const key of keys) {
      if ((await p.path.inputValue()) !== '/device/groups/2') await p.tabs.nth(1).click()
      await p.path.focus()
      await first?.()
      await page.keyboard.press(key)
      await named(`${key} to ${does}`, see)
      await back?.()
    }
})

test('shortcuts work in lists, in the code editor and on other keyboard layouts, and their sheet prints', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('lists know their keys on a keyboard with other letters, too', async () => {
    await newRequest(page)
    await sendPath(page, '/setting/version')
    await sendPath(page, '/device/groups')
    const cdp = await page.context().newCDPSession(page)
    const press = async (key: string, code: string, ctrl = true) => {
      for (const type of ['keyDown', 'keyUp'] as const)
        await cdp.send('Input.dispatchKeyEvent', { type, key, code, modifiers: ctrl ? 2 : 0 })
    }
    await p.tree.focus()
    await page.keyboard.press('ArrowDown')
    await press('с', 'KeyC')
    await until(page.getByTestId('toast'), /^Copied /)
    await page.keyboard.press('Control+H')
    await p.tools.getByRole('tabpanel', { name: 'History' }).getByRole('button', { name: /^GET/ }).first().focus()
    await press('ф', 'KeyA')
    await p.tools.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    await endpoint(page, 'GET /device/groups').focus()
    await press('а', 'KeyF', false)
    await p.catalog.getByText('Added GET /device/groups to favourites', { exact: true }).waitFor({ state: 'attached' })
  })

  await step('shortcuts work in the code editor', async () => {
    await newRequest(page)
    await p.search.fill('post devices')
    await endpoint(page, 'POST /device/devices').click()
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    const editor = p.request.locator('.cm-content')
    await editor.click()
    const text = await editor.innerText()
    const open = await p.tabs.count()
    for (const [key, see] of [
      ['Control+K', () => p.command.waitFor()],
      ['Control+/', () => page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()],
      ['Control+L', () => focusIn(page, '[role="combobox"][aria-label="Path"]')],
      ['Control+E', () => p.tools.getByRole('tab', { name: 'Variables', selected: true }).waitFor()],
      ['F6', () => focusIn(page, '[data-pane="response"]')],
      ['Control+Enter', () => until(p.status, /^(201|4\d\d) /)],
      ['Control+D', () => expect.poll(() => p.tabs.count()).toBe(open + 1)],
    ] as const) {
      await editor.click()
      await focusIn(page, '.cm-content')
      await page.keyboard.press(key)
      await named(key, see)
      if (key === 'Control+K' || key === 'Control+/') await page.keyboard.press('Escape')
      if (key !== 'Control+D') await expect.poll(() => editor.innerText()).toBe(text)
    }
  })

  await step('no shortcut interrupts IME composition', async () => {
    await two(page)
    await p.path.focus()
    const taken = await page.evaluate(() => {
      const press = (how: KeyboardEventInit) =>
        !document.activeElement!.dispatchEvent(
          new KeyboardEvent('keydown', {
            bubbles: true,
            cancelable: true,
            ctrlKey: true,
            key: 'k',
            code: 'KeyK',
            ...how,
          }),
        )
      return [press({ isComposing: true }), press({ keyCode: 229 }), press({})]
    })
    expect(taken).toEqual([false, false, true])
    await page.keyboard.press('Escape') // closes the palette
  })

  await step('the sheet prints alone', async () => {
    await page.keyboard.press('Control+/')
    const send = page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Send Request')
    await send.waitFor()
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => send.isVisible()).toBe(true)
    await expect.poll(() => page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    await expect.poll(() => page.getByRole('contentinfo').or(page.locator('.app')).first().isVisible()).toBe(false)
  })
})

test('shortcuts are changed, conflicts are named, and palette, tooltips and sheet follow', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await two(page)
  await page.keyboard.press('Control+,')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await settings.getByRole('tab', { name: 'Keys' }).click()
  await settings.getByRole('button', { name: 'Change keys of Send Request' }).click()

  await page.keyboard.press('Control+C')
  await settings.getByText('Ctrl C belongs to editing text').waitFor()
  await page.keyboard.press('x')
  await settings.getByText('X alone would be in the way of typing').waitFor()
  await page.keyboard.press('Control+B')
  await settings.getByText('Ctrl B is already assigned to “Show or hide the catalog”.').waitFor()
  await settings.getByRole('button', { name: 'Use it here instead' }).click()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Change keys of Send Request')
  const row = (name: string) => settings.getByRole('listitem').filter({ hasText: name })
  await expect.poll(() => row('Send Request').locator('kbd').allTextContents()).toEqual(['Ctrl B'])
  await expect.poll(() => row('Show or hide the catalog').innerText()).toContain('none')
  await settings.getByRole('button', { name: 'Done' }).click()

  await expect.poll(() => p.send.textContent()).toContain('Ctrl B')
  await p.path.focus()
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('Control+B')
  await until(p.status, /^200 OK/)
  await p.catalog.waitFor()
  await page.keyboard.press('Control+K')
  await page.keyboard.type('>send')
  await expect.poll(() => p.palette.getByRole('option', { name: /Send Request/ }).textContent()).toContain('Ctrl B')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+/')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByRole('searchbox', { name: 'Search shortcuts' }).fill('send')
  await expect
    .poll(() => sheet.locator('dl > div').allInnerTexts())
    .toContainEqual(expect.stringMatching(/^Send Request\s+Ctrl B$/))
  await page.keyboard.press('Escape')

  await expect
    .poll(() =>
      page.evaluate(async () => ((await (await fetch('/explorer/settings')).json()) as { keys?: object }).keys),
    )
    .toEqual({ 'request.send': ['Mod+B'], 'pane.left': [] })
  await page.reload()
  await p.path.waitFor()
  await expect.poll(() => p.send.textContent()).toContain('Ctrl B')

  await page.keyboard.press('Control+,')
  await settings.getByRole('tab', { name: 'Keys' }).click()
  await settings.getByRole('button', { name: 'Reset keys of Show or hide the catalog' }).click()
  await expect.poll(() => row('Show or hide the catalog').locator('kbd').allTextContents()).toEqual(['Ctrl B'])
  await expect.poll(() => row('Send Request').innerText()).toContain('none')
  await settings.getByRole('button', { name: 'Reset keys', exact: true }).click()
  await expect.poll(() => row('Send Request').locator('kbd').allTextContents()).toEqual(['Ctrl ⏎', 'F5'])
})
