import { createServer } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findings } from './findings'
import { parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

async function fleet(page: Page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Fleet' }).click()
  const grid = page.getByRole('grid', { name: 'Devices' })
  await grid.locator('.object').first().waitFor()
  return {
    grid,
    devices: page.getByRole('region', { name: 'Devices' }),
    tree: page.getByRole('tree', { name: 'Device groups' }),
    search: page.getByRole('searchbox', { name: 'Search devices' }),
    toast: page.getByTestId('toast'),
  }
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
const names = (page: Page) => page.getByRole('grid', { name: 'Devices' }).locator('.object').allInnerTexts()

test('groups and devices are found, selected and changed, and the selection stays', async () => {
  const page = await portal.page({ fresh: true })
  await step('the selection survives a search, and deleting lists the selected devices', async () => {
    const { grid, search } = await fleet(page)
    const bar = page.getByRole('toolbar', { name: 'Selected devices' })
    await search.fill('web-prod-01.fra')
    await expect.poll(() => names(page)).toEqual(['web-prod-01.fra'])
    await grid.getByRole('checkbox', { name: 'web-prod-01.fra' }).check()
    await search.fill('acc-sw-01.fra')
    await expect.poll(() => names(page)).toEqual(['acc-sw-01.fra'])
    await bar.getByText('1 device selected').waitFor()
    await grid.getByRole('columnheader').getByRole('checkbox').check()
    await bar.getByText('2 devices selected').waitFor()
    await search.fill('db-')
    await expect.poll(async () => (await names(page))[0]).toMatch(/^db-/)
    const box = (n: number) => grid.getByRole('row').nth(n).getByRole('checkbox')
    await box(2).check()
    await box(4).click({ modifiers: ['Shift'] })
    await bar.getByText('5 devices selected').waitFor()
    await box(3).click({ modifiers: ['Shift'] }) // a shorter range
    await bar.getByText('4 devices selected').waitFor()
    expect(await box(3).isChecked()).toBe(true)
    expect(await box(4).isChecked()).toBe(false)
    await box(2).uncheck()
    await box(3).uncheck()
    await bar.getByText('2 devices selected').waitFor()
    // A range includes rows that were never in view.
    await search.fill('')
    await expect.poll(async () => Number(await grid.getAttribute('aria-rowcount')) - 1).toBeGreaterThan(100)
    const all = Number(await grid.getAttribute('aria-rowcount')) - 1
    await grid.getByRole('row').nth(1).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+End')
    await bar.getByText(`${all} devices selected`).waitFor()
    await page.keyboard.press('Escape')
    for (const name of ['web-prod-01.fra', 'acc-sw-01.fra']) {
      await search.fill(name)
      await expect.poll(() => names(page)).toEqual([name])
      await grid.getByRole('checkbox', { name }).check()
    }
    await bar.getByText('2 devices selected').waitFor()
    await bar.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 2 devices?' })
    await dialog.getByText(/^web-prod-01\.fra, acc-sw-01\.fra: their checks stop/).waitFor()
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
  })

  await step('groups and devices are found, selected and changed by keyboard, and changes are undone', async () => {
    const { grid, tree, search, toast } = await fleet(page)
    await search.fill('')

    await tree.getByRole('treeitem', { name: /^All devices \d+ ?devices \d+ ?critical/ }).focus()
    await page.keyboard.press('s')
    await expect.poll(() => focused(page)).toMatch(/^Servers/)
    await page.keyboard.press('ArrowRight')
    await tree.getByRole('treeitem', { name: /^Linux/ }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toMatch(/^Linux/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Linux', exact: true }).waitFor()
    // The devices with the worst status come first.
    expect(await grid.getByRole('columnheader', { name: 'Status' }).getAttribute('aria-sort')).toBe('ascending')
    const levels = ['crit', 'error', 'warn', 'ok']
    const statuses = () =>
      grid
        .locator('.row .cell:nth-of-type(2) > .sev:first-child')
        .evaluateAll((all) => all.map((e) => e.className.split(' ')[1]))
    await expect
      .poll(async () => {
        const ranks = (await statuses()).map((s) => levels.indexOf(s))
        return ranks.length > 5 && ranks[0] < 3 && ranks.join() === [...ranks].sort().join()
      })
      .toBe(true)

    await search.fill('web prod')
    await expect.poll(async () => (await names(page)).every((n) => n.startsWith('web-prod'))).toBe(true)
    await grid.getByRole('button', { name: 'Device', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => {
        const all = await names(page)
        return all.length > 1 && [...all].sort().reverse().join() === all.join()
      })
      .toBe(true)

    const count = (await names(page)).length
    await grid.getByRole('row').nth(1).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    const bar = page.getByRole('toolbar', { name: 'Selected devices' })
    await bar.getByText('2 devices selected').waitFor()
    await bar.getByRole('button', { name: 'Turn alerting off' }).focus()
    await page.keyboard.press('Enter')
    await until(toast, /^Turned alerting off for 2 devices/)
    await expect.poll(() => grid.getByText('alerting off').count()).toBe(2)
    await toast.getByRole('button', { name: 'Undo' }).press('Enter')
    await expect.poll(() => grid.getByText('alerting off').count()).toBe(0)
    await until(toast, /^Undone: Turned alerting off for 2 devices/)

    await grid.getByRole('row').nth(1).focus()
    await page.keyboard.press('Space')
    await bar.getByRole('button', { name: 'Delete' }).press('Enter')
    await page
      .getByRole('dialog', { name: /^Delete web-prod/ })
      .getByRole('button', { name: 'Delete' })
      .press('Enter')
    await until(toast, /^1 device moved to the recycle bin/)
    await expect.poll(async () => (await names(page)).length).toBe(count - 1)
    await toast.getByRole('button', { name: 'Undo' }).press('Enter')
    await expect.poll(async () => (await names(page)).length).toBe(count)

    await grid.getByRole('row').nth(1).focus()
    await page.keyboard.press('Space')
    await bar.getByRole('button', { name: 'Maintenance' }).press('Enter')
    await page.keyboard.type('New kernel')
    await page.keyboard.press('Enter')
    await until(toast, /^Planned maintenance for 1 device/)
    await toast.getByRole('button', { name: 'Undo' }).press('Enter')

    await grid.getByRole('row').nth(1).focus()
    await page.keyboard.press('Space')
    await bar.getByRole('button', { name: 'Move' }).press('Enter')
    const move = page.getByRole('dialog', { name: 'Move 1 device to a group' })
    await move.getByRole('combobox', { name: 'Group' }).fill('decom')
    await move.getByRole('option', { name: 'Decommissioned' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await until(toast, /^1 device moved to Decommissioned/)
    await expect.poll(async () => (await names(page)).length).toBe(count - 1)
    await toast.getByRole('button', { name: 'Undo' }).press('Enter')
    await expect.poll(async () => (await names(page)).length).toBe(count)

    await page.getByRole('button', { name: 'Open in API Explorer: devices' }).click()
    await until(parts(page).status, /^200 OK/)
    await until(parts(page).response.getByRole('treeitem').first(), /./)
    await parts(page).request.getByRole('button', { name: 'Edit filter as text' }).click()
    await expect
      .poll(() => parts(page).request.getByRole('combobox', { name: 'filter value' }).inputValue())
      .toContain('_all~"web",_all~"prod"')
  })
})

let added = 0
test('a group is added, renamed, undone, made dynamic and deleted, and a device is renamed', async () => {
  const page = await portal.page({ fresh: true, bypassCSP: true, width: 1280, height: 800 })
  const { grid, tree, toast } = await fleet(page)
  await tree.getByRole('treeitem', { name: /^Sites/ }).click()
  await page.getByRole('button', { name: 'Add group' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a group in Sites' })
  expect(await findings(page)).toEqual([])
  await adding.getByRole('textbox', { name: 'Name' }).fill('Oslo')
  await page.keyboard.press('Enter')
  await adding.getByText(/already a device group/).waitFor()
  await adding.getByRole('textbox', { name: 'Name' }).fill('Bergen')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Bergen' }).waitFor()
  const item = tree.getByRole('treeitem', { name: /^Bergen\b/ })
  await expect.poll(() => item.getAttribute('aria-selected')).toBe('true')
  await page.getByText('No devices here yet').waitFor()

  await page.getByRole('button', { name: 'Edit group' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit Bergen' })
  await editing.getByRole('textbox', { name: 'Name' }).fill('Stavanger')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Stavanger' }).waitFor()
  await toast.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Bergen' }).waitFor()
  await page.getByRole('button', { name: 'Edit group' }).click()
  await editing.getByRole('textbox', { name: 'Applies to expression' }).fill('system.hostname == "10.10.8.11"')
  await editing.getByText('1 device', { exact: true }).waitFor()
  await editing.getByRole('button', { name: 'Save', exact: true }).click()
  await grid.getByRole('row', { name: /web-prod-01\.fra/ }).waitFor()
  await page.getByRole('button', { name: 'Edit group' }).click()
  await editing.getByText('Empty: the group becomes static and keeps its 1 device').waitFor()
  await editing.getByRole('textbox', { name: 'Applies to expression' }).fill('')
  await editing.getByRole('button', { name: 'Save', exact: true }).click()
  await until(toast, /^Saved Bergen; it keeps its 1 device/)
  await toast.getByRole('button', { name: 'Undo' }).last().click()
  await until(toast, /^Undone: Saved Bergen/)
  await page.getByRole('button', { name: 'Edit group' }).click()
  await expect.poll(() => editing.getByRole('textbox', { name: 'Applies to expression' }).inputValue()).not.toBe('')
  await editing.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog', { name: 'Delete Bergen?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Sites', exact: true }).waitFor()
  await expect.poll(() => item.count()).toBe(0)
  await page.getByRole('button', { name: 'Edit group' }).click()
  await expect
    .poll(() => page.getByRole('dialog', { name: 'Edit Sites' }).getByRole('button', { name: 'Delete…' }).isDisabled())
    .toBe(true)
  await page.keyboard.press('Escape')

  await page.getByRole('searchbox', { name: 'Search devices' }).fill('web-prod-01.fra')
  await grid.getByRole('button', { name: 'web-prod-01.fra' }).click()
  const rename = async (from: string, to: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await page
      .getByRole('dialog', { name: `Edit ${from}` })
      .getByRole('textbox', { name: 'Display name' })
      .fill(to)
    await page.keyboard.press('Enter')
  }
  await rename('web-prod-01.fra', 'shop front')
  await page.getByRole('heading', { name: 'shop front' }).waitFor()
  await toast.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'web-prod-01.fra' }).waitFor()
})

test('a device is tested before it is added, and Undo moves it to the recycle bin', async () => {
  const page = await portal.page({ fresh: true })
  await step('a device is tested before it is added, with errors at their fields', async () => {
    const shown = `loopback ${++added}` // a retry needs a new name: the device of the first attempt exists
    await portal.filled // the portal matches data sources to new devices only after that
    const { grid, toast } = await fleet(page)
    const listener = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => listener.once('listening', done))
    const port = (listener.address() as { port: number }).port
    try {
      await page.getByRole('button', { name: 'Add device' }).click()
      const form = page.getByRole('dialog', { name: 'Add device' })
      const name = form.getByRole('textbox', { name: 'Host name or IP address' })
      await form.getByRole('button', { name: 'Add device' }).click()
      await until(form.getByRole('alert'), /^Enter a host name/)
      await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
      await name.fill('127.0.0.1')
      await form.getByRole('textbox', { name: 'Display name' }).fill('web-prod-01.fra')
      await form.getByText('This machine', { exact: true }).click() // a click on the label toggles the switch
      await expect
        .poll(() => form.getByRole('switch', { name: 'This machine' }).getAttribute('aria-checked'))
        .toBe('true')
      await form.getByRole('switch', { name: 'TCP port' }).click()
      await form.getByRole('button', { name: 'Test connection' }).click()
      await until(form.getByRole('alert'), /^Port is required, or turn TCP port off/)
      await expect.poll(() => form.getByRole('textbox', { name: 'Port' }).getAttribute('aria-invalid')).toBe('true')
      await form.getByRole('textbox', { name: 'Port' }).fill(String(port))
      await form.getByRole('button', { name: 'Test connection' }).click()
      const tried = form.getByRole('region', { name: 'Test result' })
      await tried.getByText('Connected').waitFor()
      await tried.getByRole('listitem').filter({ hasText: 'TCP port' }).getByText(/ ms$/).waitFor()
      await form.getByRole('button', { name: 'Add device' }).click()
      await until(form.getByRole('alert'), /web-prod-01\.fra/)
      const listed = form.getByRole('textbox', { name: 'Display name' })
      await expect.poll(() => listed.getAttribute('aria-invalid')).toBe('true')
      await listed.fill(shown)
      await form.getByRole('button', { name: 'Add device' }).click()
      await until(toast, new RegExp(`^Added ${shown}`))
      await toast.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('heading', { name: shown }).waitFor()
      await page.getByRole('navigation', { name: 'Data sources' }).getByRole('button', { name: 'TCP port' }).waitFor()
      for (const name of [/^This machine/, /^Disks of this machine/])
        await page.getByRole('navigation', { name: 'Data sources' }).getByRole('button', { name }).waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page
        .getByRole('dialog', { name: `Delete ${shown}?` })
        .getByRole('button', { name: 'Delete' })
        .click()
      await until(toast, /^1 device moved to the recycle bin/)
      await grid.getByRole('row').nth(1).waitFor()
    } finally {
      listener.close()
    }
  })

  await step('an added device is moved to the recycle bin by Undo', async () => {
    const shown = `undone ${++added}`
    const { toast } = await fleet(page)
    await page.getByRole('button', { name: 'Add device' }).click()
    const form = page.getByRole('dialog', { name: 'Add device' })
    await form.getByRole('textbox', { name: 'Host name or IP address' }).fill('127.0.0.1')
    await form.getByRole('textbox', { name: 'Display name' }).fill(shown)
    await form.getByRole('button', { name: 'Add device' }).click()
    await until(toast, new RegExp(`^Added ${shown}`))
    await toast.getByRole('button', { name: 'Undo' }).click()
    await until(toast, /^1 device moved to the recycle bin/)
  })
})
