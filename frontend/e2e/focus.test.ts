import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { addVariable, hold, newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

/** Returns the name of the focused element, or '' without one. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const e = document.activeElement
    return e === document.body || !e
      ? ''
      : (e.getAttribute('aria-label') ?? e.textContent ?? '').replace(/\s+/g, ' ').trim()
  })

test('the focus moves to the expected place', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('the focus moves to the same place of the next tab', async () => {
    const press = (key: string) => page.keyboard.press(key)
    await expect.poll(() => focused(page)).toMatch(/^API Explorer/)
    await press('Control+k')
    await expect.poll(() => focused(page)).toBe('Command')
    await press('m')
    await expect.poll(() => focused(page)).toBe('Path')
    await page.getByRole('button', { name: 'Welcome screen' }).click()
    await page.getByRole('button', { name: /Dead devices/ }).click()
    await expect.poll(() => focused(page)).toBe('Path')
    await press('Control+t')
    await press('Control+t')
    for (const key of ['Control+w', 'Control+Tab', 'Control+Shift+t', 'Control+d']) {
      await press(key)
      await expect.poll(() => focused(page), { message: key }).toBe('Path')
    }
    await newRequest(page)
    await sendPath(page, '/device/groups?size=2')
    await p.tree.focus()
    await press('Control+w')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-pane]')?.getAttribute('data-pane')))
      .toBe('response')
  })

  await step('deleting moves the focus to the next item, and closing a dialog restores it', async () => {
    await newRequest(page)
    for (const name of ['one', 'two']) {
      await addVariable(page)
      await page.keyboard.type(name)
      await expect.poll(() => p.tools.getByRole('button', { name: `Delete ${name}` }).count()).toBe(1)
    }
    await p.tools.getByRole('button', { name: 'Delete one' }).focus()
    await page.keyboard.press('Enter')
    await p.tools.getByRole('listitem', { name: 'one' }).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).not.toBe('')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-pane]')?.getAttribute('data-pane')))
      .toBe('tools')

    await p.path.focus()
    await page.keyboard.type('/device/devices')
    await page.keyboard.press('Control+s')
    await page.getByRole('dialog', { name: 'Save request' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('Path')

    await p.tools.getByRole('tab', { name: 'Variables' }).click() // the tab Docs has opened in front
    const more = p.tools.getByRole('button', { name: 'More for variables' })
    await more.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitemradio', { name: 'Sort by name' }).press('Enter')
    await expect.poll(() => focused(page)).toBe('More for variables')
  })

  await step('a click on an empty area removes the focus, and nothing takes it back', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    await p.status.click()
    await expect.poll(() => focused(page)).toBe('')
    await page.keyboard.press('Control+Enter')
    await p.tree.waitFor()
    await expect.poll(() => focused(page)).toBe('')
  })
})

test('a body follows the path until it is edited, variables complete, and a double click sends once', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('a body that nobody edited follows the path, an edited one stays', async () => {
    await newRequest(page)
    const body = p.request.getByRole('textbox', { name: 'field name' })
    await p.path.fill('/session')
    await p.method.selectOption('POST')
    await expect.poll(() => body.count()).toBeGreaterThan(0)
    await p.path.fill('/nowhere')
    await p.request.getByText('No body. Add a field').waitFor()
    await p.path.fill('/device/groups')
    const name = p.request.getByLabel('name value', { exact: true }).first()
    await name.fill('mine')
    await p.path.fill('/session')
    await expect.poll(() => name.inputValue()).toBe('mine')
  })

  await step('{{ completes in the name of a field', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups')
    await p.method.selectOption('POST')
    const name = p.request.getByRole('textbox', { name: 'field name' }).first()
    await name.fill('{{$uu')
    await page.getByRole('option', { name: /\$uuid/ }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => name.inputValue()).toBe('{{$uuid}}')
  })

  await step('a double click on Send sends once, and does not cancel', async () => {
    await newRequest(page)
    await p.path.fill('/device/groups?size=1')
    await page.keyboard.press('Escape')
    const held = await hold(page)
    await p.send.dblclick()
    await p.cancel.waitFor()
    await held.release()
    await until(p.status, /^200 OK/)
    expect(held.sent()).toBe(1)
  })
})
