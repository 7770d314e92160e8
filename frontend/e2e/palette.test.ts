import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('the palette opens views, endpoints, commands and recent items', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('recent items come first before typing', async () => {
    for (const name of ['Keyboard shortcuts', 'Dark theme']) {
      await page.keyboard.press('Control+K')
      await page.keyboard.insertText(`>${name}`)
      await until(p.palette.getByRole('option', { selected: true }), new RegExp(`^${name}`))
      await page.keyboard.press('Enter')
      await p.palette.waitFor({ state: 'detached' })
      if (name !== 'Keyboard shortcuts') continue
      await page.getByRole('dialog', { name }).waitFor()
      await page.keyboard.press('Escape')
    }
    await page.keyboard.press('Control+K')
    const recent = p.palette.getByRole('group', { name: 'Recent' }).getByRole('option')
    await expect
      .poll(async () => (await recent.allInnerTexts()).map((t) => t.split('Ctrl')[0].trim()))
      .toEqual(['Dark theme', 'Keyboard shortcuts'])
    expect(await p.palette.getByRole('option', { name: /^Keyboard shortcuts/ }).count()).toBe(1)
    await page.keyboard.press('Escape')
  })

  await step('it lists every command with its key', async () => {
    await newRequest(page)
    for (const [name, key] of [
      ['Send Request', 'Ctrl ⏎'],
      ['Settings', 'Ctrl ,'],
      ['Duplicate tab', 'Ctrl D'],
      ['Keyboard shortcuts', 'Ctrl /'],
      ['Go to tab 3', 'Ctrl 3'],
      ['Sign out', ''],
    ]) {
      await page.keyboard.press('Control+K')
      await page.keyboard.insertText(`>${name}`)
      const first = p.palette.getByRole('option').first()
      await expect.poll(() => first.innerText()).toContain(name)
      expect((await first.locator('kbd').allTextContents()).join('')).toBe(key)
      await page.keyboard.press('Escape')
    }
  })

  await step('arrows select, > searches commands, Escape returns the focus', async () => {
    await newRequest(page)
    await p.path.focus()
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('>')
    const options = p.palette.getByRole('option')
    const texts = await options.allTextContents()
    expect(texts.some((t) => t.includes('/device/devices'))).toBe(false)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => options.nth(1).getAttribute('aria-selected')).toBe('true')
    expect(await p.command.getAttribute('aria-activedescendant')).toBe(await options.nth(1).getAttribute('id'))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => options.last().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Escape')
    await expect.poll(() => p.path.evaluate((e) => e === document.activeElement)).toBe(true)
  })

  await step('an endpoint is found by its path, and Ctrl+Enter opens it in a new tab', async () => {
    await newRequest(page)
    const before = await p.tabs.count()
    await p.path.fill('/device/groups')
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('/setting/version')
    await p.palette
      .getByRole('option', { name: /\/setting\/version/ })
      .first()
      .waitFor()
    await page.keyboard.press('Control+Enter')
    await p.palette.waitFor({ state: 'detached' })
    await expect.poll(() => p.path.inputValue()).toBe('/setting/version')
    await expect.poll(() => p.tabs.count()).toBe(before + 1)
  })

  await step('K then M toggles Monitor and API, and another key after M is a search', async () => {
    await newRequest(page)
    await page.keyboard.press('Control+K')
    await page.keyboard.press('m')
    await page.getByRole('main', { name: 'Monitor' }).waitFor()
    await p.palette.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+K')
    await page.keyboard.press('m')
    await p.path.waitFor()
    await page.clock.install()
    await page.keyboard.press('Control+K')
    await page.keyboard.type('mo', { delay: 20 })
    await page.clock.runFor(600) // more than the 400 ms of a chord
    await expect.poll(() => p.command.inputValue()).toBe('mo')
    await page.keyboard.press('Escape')
    await p.palette.waitFor({ state: 'detached' })
    await p.path.waitFor()
  })
})

test('the palette finds objects of the portal and sent requests', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('history entries, fields and tabs are found and opened', async () => {
    await newRequest(page)
    await sendPath(page, '/device/devices?size=3&sort=-id')
    await newRequest(page)
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('sort=-id')
    await p.palette
      .getByRole('group', { name: 'History' })
      .getByRole('option', { name: /device\/devices/ })
      .click()
    await until(p.status, /^200 OK/)

    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('preferredCollectorId')
    await p.palette.getByRole('group', { name: 'Docs' }).getByRole('option').first().click()
    const search = p.tools.getByRole('searchbox', { name: 'Search the docs' })
    await expect.poll(() => search.inputValue()).toBe('preferredCollectorId')
    await p.tools.getByText('preferredCollectorId', { exact: true }).first().waitFor()

    await page.keyboard.press('Control+P')
    await expect.poll(() => p.command.inputValue()).toBe('#')
    await page.keyboard.insertText('GET')
    await p.palette.getByRole('group', { name: 'Tabs' }).getByRole('option').first().waitFor()
    await expect.poll(() => p.palette.getByRole('group', { name: 'Run' }).count()).toBe(0)
    await page.keyboard.press('Escape')
  })

  await step('a device is found by name or address, and opens in the Monitor or as a request', async () => {
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('osl web-prod-03')
    await page.keyboard.press('Enter') // before the portal responds
    await page.getByRole('main', { name: 'Monitor' }).getByRole('heading', { name: 'web-prod-03.osl' }).waitFor()

    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('10.20.8.13')
    const found = p.palette.getByRole('group', { name: 'Devices' }).getByRole('option')
    await expect
      .poll(() => found.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^web-prod-03\.osl10\.20\.8\.13 · Shop front end\s*(OK|Warning|Error|Critical)$/),
      ])
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK/)
    expect(await p.path.inputValue()).toMatch(/^\/device\/devices\//)
  })

  await step('groups, alerts, data sources, reports and settings are found by their names', async () => {
    const main = page.getByRole('main', { name: 'Monitor' })
    const jump = async (typed: string, group: string, option: string) => {
      await page.keyboard.press('Control+K')
      await page.keyboard.insertText(typed)
      await p.palette.getByRole('group', { name: group }).getByRole('option', { name: option }).first().click()
      await p.palette.waitFor({ state: 'detached' })
    }
    await jump('databases', 'Groups', 'Databases')
    await main.getByRole('treeitem', { name: /^Databases/, selected: true }).waitFor()
    await jump('SNMP_Interfaces outErrors', 'Alerts', 'outErrors')
    await main.getByRole('heading', { name: /-\d\d\./ }).waitFor()
    await jump('web page', 'DataSources', 'Web page')
    await main.getByRole('heading', { name: 'Web page' }).first().waitFor()
    await jump('alerts of the week', 'Reports', 'Alerts of the week')
    await main.getByRole('row', { name: /Alerts of the week/, selected: true }).waitFor()
    await jump('audit log', 'Portal settings', 'Audit log')
    await main.getByRole('heading', { name: 'Audit log' }).first().waitFor()
  })

  await step('@ searches objects of the portal with their state, and # tabs and sent requests', async () => {
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('@core-sw')
    const groups = p.palette.getByRole('group')
    const alerts = p.palette.getByRole('group', { name: 'Alerts' }).getByRole('option')
    await until(
      p.palette.getByRole('group', { name: 'Devices' }).getByRole('option').first(),
      /(OK|Warning|Error|Critical)$/,
    )
    const rank = ['Critical', 'Error', 'Warning', 'OK']
    const found = (await alerts.allInnerTexts()).map((t) => rank.findIndex((word) => t.trim().endsWith(word)))
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual([...found].sort((a, b) => a - b))
    expect(found).not.toContain(-1)
    expect(await groups.evaluateAll((all) => all.some((g) => g.textContent?.includes('Endpoints')))).toBe(false)
    await p.command.fill('#core-sw')
    await p.palette.getByText('No results for').waitFor()
  })
})

test('the palette has the commands of requests and responses', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/groups?size=3')
  const run = async (words: string, name: string) => {
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText(words)
    await until(p.palette.getByRole('option', { selected: true }), new RegExp(`^${name}`))
    await page.keyboard.press('Enter')
    await p.palette.waitFor({ state: 'detached' })
  }
  const focused = () => page.evaluate(() => document.activeElement?.textContent)

  await run('as table', 'Response as table')
  await p.response.getByRole('grid', { name: 'Items' }).waitFor()
  await expect.poll(focused).toBe('Table')
  await run('collapse', 'Collapse entire response')
  await expect.poll(() => p.tree.getByRole('treeitem', { expanded: true }).count()).toBe(1) // the response itself
  await run('as code', 'Request as code')
  await p.response.getByText('curl --globoff').waitFor()
  await run('compare', 'Compare response')
  await page.getByRole('menu', { name: 'Compare with' }).waitFor()
  await page.keyboard.press('Escape')
  await run('as curl', 'Copy request as cURL')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("/device/groups?size=3'")
  const file = page.waitForEvent('download')
  await run('ndjson', 'Save all pages as NDJSON')
  expect((await file).suggestedFilename()).toBe('device-groups.ndjson')

  await run('as json', 'Response as JSON')
  await p.path.fill('/device/groups/2')
  await p.method.selectOption('PATCH')
  await run('raw json', 'Edit body as raw JSON')
  await expect.poll(() => page.evaluate(() => document.activeElement?.classList.contains('cm-content'))).toBe(true)
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('{"description": "by keys alone"}')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  await run('undo the last', 'Undo the last write')
  await p.response.getByText('Change undone.').waitFor()
  await run('as form', 'Edit request as form')
  await expect.poll(focused).toBe('Form')
})

test('palette actions are explained, confirmed for several objects, and executed', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('an action is explained, previewed and executed, and Ctrl+Z undoes it', async () => {
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('maint')
    const hint = p.palette.getByRole('group', { name: 'Actions' }).getByRole('option')
    await until(hint, /maintain.*device or group/)
    await page.keyboard.press('Tab')
    await expect.poll(() => p.command.inputValue()).toBe('maintain ')
    await page.keyboard.insertText('web-prod-03.osl 2h: new disk')
    const plans = p.palette.getByRole('group', { name: 'Do' }).getByRole('option')
    await until(plans, /Plan maintenance of web-prod-03\.osl for 2 hours.*until.*“new disk”/)
    await page.keyboard.press('Enter')
    await until(page.getByTestId('toast'), /Planned maintenance for 1 device/)
    await page.keyboard.press('Control+Z')
    await page.getByTestId('toast').filter({ hasText: 'Planned' }).waitFor({ state: 'detached' })
    const planned = async () => {
      const list = await page.request.get(`${portal.url}/api/sdt/sdts?filter=comment:"new disk"`)
      return ((await list.json()) as { total: number }).total
    }
    await expect.poll(planned).toBe(0)

    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('maintain web-prod-03.osl 1x')
    await until(plans, /No device or group matches “web-prod-03\.osl 1x”/)
    await page.keyboard.press('Enter') // keeps the palette open
    await p.palette.waitFor()
    await page.keyboard.press('Escape')
  })

  await step('an action on several alerts is confirmed once per selection', async () => {
    await page.keyboard.press('Control+K')
    await page.keyboard.insertText('ack SNMP_Interfaces: on it')
    const plans = p.palette.getByRole('group', { name: 'Do' }).getByRole('option')
    await until(plans, /Acknowledge \d+ alerts that match “SNMP_Interfaces”.*“on it”/)
    await page.keyboard.press('Enter')
    await until(p.palette.getByRole('alert'), /Acknowledge \d+ alerts\?/)
    await page.keyboard.press('ArrowDown')
    await p.palette.getByRole('alert').waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await p.palette.getByRole('alert').waitFor()
    await page.keyboard.press('Enter')
    await until(page.getByTestId('toast'), /Acknowledged \d+ alerts/)
    const open = async () => {
      const list = await page.request.get(`${portal.url}/api/alert/alerts?filter=acked:false,_all~"SNMP_Interfaces"`)
      return ((await list.json()) as { total: number }).total
    }
    await expect.poll(open).toBe(0)
    await page.keyboard.press('Control+Z')
    await until(page.getByTestId('toast'), /Undone: Acknowledged \d+ alerts/)
    expect(await open()).toBeGreaterThan(1)
  })

  await step('actions open alerts, run reports and send requests', async () => {
    const plans = p.palette.getByRole('group', { name: 'Do' }).getByRole('option')
    const type = async (command: string, first: RegExp) => {
      await page.keyboard.press('Control+K')
      await page.keyboard.insertText(command)
      await until(plans, first)
      await page.keyboard.press('Enter')
      await p.palette.waitFor({ state: 'detached' })
    }
    await type('open critical alerts of Network since yesterday', /Open Alerts of group Network.*only critical · since/)
    const alerts = page.getByRole('region', { name: 'Alerts', exact: true })
    await alerts.getByRole('button', { name: 'Critical', exact: true, pressed: true }).waitFor()
    await alerts.getByRole('button', { name: 'One group' }).waitFor()
    await alerts.getByRole('button', { name: /^Since/ }).waitFor()
    await type('run report alerts of the week', /Run report Alerts of the week/)
    await until(page.getByTestId('toast'), /Started report Alerts of the week/)
    await type('GET devices filter dead', /\/device\/devices\?filter=_all~"dead".*\d+ items/)
    await until(p.status, /^200 OK/)
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices')
  })
})
