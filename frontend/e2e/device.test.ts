import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { parts, suite, until } from './harness'
import { step } from './story'

const portal = suite()

async function fleet(page: Page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Fleet' }).click()
  return page.getByRole('grid', { name: 'Devices' })
}

async function device(page: Page, name: string) {
  const grid = await fleet(page)
  await page.getByRole('searchbox', { name: 'Search devices' }).fill(name)
  await grid.getByRole('button', { name }).click()
  await page.getByRole('heading', { name }).waitFor()
}

/** Counts the drawn pixels of each chart. */
const drawn = (page: Page) =>
  page.locator('.plot canvas').evaluateAll((all) =>
    all.map((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement
      const data =
        width && height ? (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height).data : []
      let n = 0
      for (let i = 3; i < data.length; i += 4) if (data[i] > 0) n++
      return n
    }),
  )

test('charts share a cursor and a range, are compared, and are shown as tables', async () => {
  await portal.filled
  const page = await portal.page({ fresh: true })
  await device(page, 'web-prod-01.fra')
  await page.getByRole('button', { name: 'Last 6 hours' }).click()
  const cpu = page.getByRole('slider', { name: /^Processors\. cpuPercent: lowest .*highest / })
  const memory = page.getByRole('slider', { name: /^Memory\. / })
  await cpu.waitFor()
  await expect
    .poll(async () => {
      const all = await drawn(page)
      return all.length > 2 && all.every((n) => n > 1000)
    })
    .toBe(true)

  await cpu.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => cpu.getAttribute('aria-valuetext')).toMatch(/^\d.*: cpuPercent ([\d.]+ %|no data)/)
  const at = (await cpu.getAttribute('aria-valuetext'))!.split(': ')[0]
  await expect.poll(() => memory.getAttribute('aria-valuetext')).toContain(at)

  await page.keyboard.press('End')
  await page.keyboard.press('+')
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
  await page.keyboard.press('0')
  await expect.poll(() => page.getByRole('button', { name: 'Reset zoom' }).count()).toBe(0)
  await expect.poll(async () => (await drawn(page)).length).toBeGreaterThan(2)
  await expect.poll(() => page.locator('.plot.waiting').count()).toBe(0)
  // All charts show the time under the pointer until the pointer leaves.
  const box = (await cpu.boundingBox())!
  const tags = page.locator('.u-over .tag')
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20)
  await expect
    .poll(async () => {
      const all = await tags.allInnerTexts()
      return all.length > 2 && new Set(all).size === 1 && /^\d+ \w+, \d\d:\d\d$/.test(all[0])
    })
    .toBe(true)
  await page.mouse.move(box.x, box.y - 60)
  await expect.poll(() => tags.count()).toBe(0)

  await page.mouse.move(box.x + box.width * 0.3, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, box.y + 30, { steps: 5 })
  await page.mouse.up()
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
  const request = page.waitForRequest(/graphs\/\d+\/data\?/)
  await page.getByRole('button', { name: 'Earlier' }).click()
  const shown = new URL((await request).url()).searchParams
  const length = Number(shown.get('end')) - Number(shown.get('start'))
  const earlier = Number(shown.get('start'))
  const before = page.waitForRequest(
    (r) => /graphs\/\d+\/data\?/.test(r.url()) && Number(new URL(r.url()).searchParams.get('start')) < earlier - 3600,
  )
  await page.getByRole('button', { name: 'Compare with the previous 6 hours' }).click()
  expect(earlier - Number(new URL((await before).url()).searchParams.get('start'))).toBe(6 * 3600)
  await page.getByRole('button', { name: 'Compare with the previous 6 hours' }).click()
  await cpu.focus()
  const wider = page.waitForRequest(/graphs\/\d+\/data\?/)
  await page.keyboard.press('-')
  const now = new URL((await wider).url()).searchParams
  expect(Math.abs(Number(now.get('end')) - Number(now.get('start')) - 2 * length)).toBeLessThan(4)
  await page.getByRole('button', { name: 'Reset zoom' }).click()
  await expect.poll(() => page.getByRole('button', { name: 'Later' }).isDisabled()).toBe(true)

  await page.getByRole('button', { name: 'Compare with the previous 6 hours' }).click()
  await page.getByRole('slider', { name: /^Processors\. .*cpuPercent, previous: lowest/ }).waitFor()
  await page.getByRole('button', { name: 'As a table' }).click()
  const table = page.getByRole('table', { name: 'Points of the chart' }).first()
  await table.getByRole('columnheader', { name: 'cpuPercent, previous' }).waitFor()
  await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(2)
  await page.getByRole('button', { name: 'As a table' }).click()

  await page
    .getByRole('navigation', { name: 'Data sources' })
    .getByRole('button', { name: /^Linux file systems/ })
    .click()
  await page.getByRole('button', { name: 'Compare with…' }).click()
  await page
    .getByRole('option', { name: / on this device$/ })
    .first()
    .click()
  await page.getByRole('slider', { name: /^Use\. .*; \/\w*: lowest/ }).waitFor()
  await page
    .getByRole('button', { name: /^Open in API Explorer: / })
    .last()
    .click()
  await page.getByRole('menuitem').last().click()
  await until(parts(page).status, /^200 OK/)
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('heading', { name: 'web-prod-01.fra' }).waitFor()
})

test('the instance with an alert comes first, and alerts are listed and acknowledged', async () => {
  const page = await portal.page({ fresh: true })
  await step('the instance with an alert is shown first, and each shows its state', async () => {
    await portal.filled
    const { name, worst } = await page.evaluate(async () => {
      const alerts = async (filter: string) =>
        (
          (await (
            await fetch(
              `/api/alert/alerts?size=1000&sort=-severity&fields=monitorObjectName,instanceName,severity&filter=${encodeURIComponent(filter)}`,
            )
          ).json()) as { items: { monitorObjectName: string; instanceName: string; severity: number }[] }
        ).items
      const found = (await alerts('resourceTemplateName:"Linux_Disks"')).find((a) => !a.instanceName.endsWith('-/'))!
      const same = await alerts(`resourceTemplateName:"Linux_Disks",monitorObjectName:"${found.monitorObjectName}"`)
      return {
        name: found.monitorObjectName,
        worst: same
          .filter((a) => a.severity === same[0].severity)
          .map((a) => a.instanceName.replace('Linux_Disks-', '')),
      }
    })
    await device(page, name)
    const sources = page.getByRole('navigation', { name: 'Data sources' })
    await sources.getByRole('button', { name: /^Linux file systems/ }).click()
    const shown = sources.locator('.inst[aria-current]')
    await until(shown, /^\/.*(Critical|Error|Warning)$/)
    expect(worst).toContain((await shown.textContent())!.replace(/\s*(Critical|Error|Warning)$/, ''))
  })

  await step('alerts of a device are listed, acknowledged, and past ones too', async () => {
    const found = await page.evaluate(
      async () =>
        (
          (await (
            await fetch(
              '/api/alert/alerts?filter=acked:false,cleared:false,monitorObjectId>0&size=1&fields=monitorObjectName,dataPointName',
            )
          ).json()) as { items: { monitorObjectName: string; dataPointName: string }[] }
        ).items[0],
    )
    await device(page, found.monitorObjectName)
    await page.getByRole('tab', { name: /^Alerts/ }).click()
    const grid = page.getByRole('grid', { name: 'Device alerts' })
    const alert = grid
      .getByRole('row')
      .filter({ hasText: found.dataPointName })
      .filter({ has: page.getByRole('button', { name: 'Ack' }) })
      .first()
    await alert.waitFor()
    const left = await grid.getByRole('button', { name: 'Ack' }).count()
    await alert.getByRole('button', { name: 'Ack' }).click()
    const dialog = page.getByRole('dialog', { name: /^Acknowledge / })
    await dialog.getByRole('textbox').fill('Looked at from its device')
    await dialog.getByRole('button', { name: 'Acknowledge' }).click()
    await expect.poll(() => grid.getByRole('button', { name: 'Ack' }).count()).toBe(left - 1)
    await grid.getByRole('row').filter({ hasText: 'admin' }).first().waitFor()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await grid
      .getByRole('row')
      .filter({ hasText: ` › ${found.dataPointName}` })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('region', { name: /^Alert/ })
      .getByRole('heading', { name: found.monitorObjectName })
      .waitFor()
  })
})

test('devices selected in the chart or the fleet are compared in one chart', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  await step('devices are compared in one chart by keyboard, and the address restores it', async () => {
    await portal.filled
    await device(page, 'web-prod-01.fra')
    await page
      .getByRole('navigation', { name: 'Data sources' })
      .getByRole('button', { name: 'Linux', exact: true })
      .click()
    await page.getByRole('button', { name: 'Compare with…' }).press('Enter')
    const bar = page.getByRole('group', { name: 'Compared with' })
    const field = bar.getByRole('combobox', { name: 'Compare with another' })
    for (const name of ['web-prod-02.fra', 'web-prod-01.osl']) {
      await expect.poll(() => field.evaluate((f) => f === document.activeElement)).toBe(true)
      await page.keyboard.type(name)
      await page.keyboard.press('Enter') // does not wait for the list, which lags behind the input
    }
    const processors = page.getByRole('slider', {
      name: /^Processors\. web-prod-01\.fra: lowest .*; web-prod-02\.fra: lowest .*; web-prod-01\.osl: lowest/,
    })
    await processors.waitFor()
    await page.getByRole('slider', { name: /^Load: load5\. web-prod-01\.fra: lowest .*; web-prod-02\.fra/ }).waitFor()
    await page.getByRole('button', { name: 'As a table' }).click()
    await page
      .getByRole('table', { name: 'Points of the chart' })
      .first()
      .getByRole('columnheader', { name: 'web-prod-01.osl' })
      .waitFor()
    await page.getByRole('button', { name: 'As a table' }).click()
    await page.getByRole('button', { name: 'Compare with the previous day' }).click()
    await page.getByRole('slider', { name: /^Processors\. .*; web-prod-01\.fra, previous: lowest/ }).waitFor()
    await page.getByRole('button', { name: 'Compare with the previous day' }).click()

    await page.reload()
    await processors.waitFor()
    await page.getByRole('button', { name: 'Open in API Explorer: Processors' }).click()
    await page.getByRole('menuitem', { name: 'web-prod-02.fra' }).click()
    await until(parts(page).status, /^200 OK/)
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
    await bar.getByRole('button', { name: 'Remove web-prod-02.fra' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Remove web-prod-01.osl')
    await page
      .getByRole('slider', { name: /^Processors\. web-prod-01\.fra: lowest [^;]*; web-prod-01\.osl: [^;]*$/ })
      .waitFor()
    await bar.getByRole('button', { name: 'Stop comparing' }).click()
    await page.getByRole('slider', { name: /^Processors\. cpuPercent/ }).waitFor()
  })

  await step('devices that are selected in the fleet are compared', async () => {
    await portal.filled
    const grid = await fleet(page)
    await page.getByRole('searchbox', { name: 'Search devices' }).fill('web-prod')
    await expect.poll(() => grid.getByRole('row').nth(1).textContent()).toContain('web-prod')
    const compare = page.getByRole('toolbar', { name: 'Selected devices' }).getByRole('button', { name: 'Compare' })
    await grid.getByRole('row').nth(1).getByRole('checkbox').check()
    expect(await compare.isDisabled()).toBe(true)
    await grid.getByRole('row').nth(2).getByRole('checkbox').check()
    await compare.click()
    await page.getByRole('slider', { name: /^Processors\. web-prod-\S+: lowest .*; web-prod-\S+: lowest/ }).waitFor()
  })
})

test('compared devices without the data source, without data or deleted are marked', async () => {
  await portal.filled
  const page = await portal.page({ fresh: true })
  const [web, firewall, silent] = await page.evaluate(async () => {
    const one = async (filter: string) =>
      (
        (await (
          await fetch(`/api/device/devices?size=1&fields=id,displayName&filter=${encodeURIComponent(filter)}`)
        ).json()) as { items: { id: number; displayName: string }[] }
      ).items[0]
    const [web, firewall, silent] = await Promise.all(
      [
        'displayName:"web-prod-01.fra"',
        'displayName~"fw-",hostStatus:"normal"',
        'displayName~"acc-sw",hostStatus:"dead"',
      ].map(one),
    )
    const { user } = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
    const monitor = { screen: 'fleet', id: String(web.id), filters: { with: `${firewall.id},${silent.id},987654` } }
    await fetch('/explorer/settings', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': user.csrfToken },
      body: JSON.stringify({ monitor }),
    })
    return [web.displayName, firewall.displayName, silent.displayName]
  })
  await page.reload() // the page restores the view
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  const bar = page.getByRole('group', { name: 'Compared with' })
  await bar.getByText('no longer exists').waitFor()
  await bar.getByText('not responding').waitFor()
  await page
    .getByRole('slider', { name: new RegExp(`^Packet loss\\. ${web}: .*; ${firewall}: .*; ${silent}: `) })
    .waitFor() // selected because all devices have it
  await page
    .getByRole('navigation', { name: 'Data sources' })
    .getByRole('button', { name: /^Linux 1 of 3/ })
    .click()
  await expect.poll(() => bar.getByText('has no Linux').count()).toBe(2)
  await page.getByRole('slider', { name: /^Processors\. cpuPercent/ }).waitFor()
})

test('charts wait until the demo history is generated', async () => {
  await portal.filled
  const page = await portal.page({ fresh: true })
  await page.route('**/api/demo/time', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), filling: true } })
  })
  await page.route('**/graphs/*/data?*', async (route) => {
    const response = await route.fetch()
    const graph = (await response.json()) as { lines: { data: unknown[] }[] }
    await route.fulfill({
      response,
      json: { ...graph, lines: graph.lines.map((l) => ({ ...l, data: l.data.map(() => null) })) },
    })
  })
  await device(page, 'web-prod-01.fra')
  await page.getByText('The demo is creating its history').first().waitFor()
  expect(await page.getByText('No data in this period').count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
  await page.evaluate(async () => {
    const token =
      (await fetch('/api/session', { headers: { 'X-CSRF-Token': 'Fetch' } })).headers.get('X-CSRF-Token') ?? ''
    await fetch('/api/demo/time', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token },
      body: '{"speed":1}',
    }) // changes the demo's row, as the end of the filling does
  })
  await page.getByRole('slider', { name: /^Processors\. / }).waitFor()
})

test('properties are changed, secrets are never shown, and changes are in the history', async () => {
  const page = await portal.page({ fresh: true })
  await device(page, 'web-prod-01.osl')
  const toast = page.getByTestId('toast')
  await page.getByRole('tab', { name: 'Charts' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  const table = page.getByRole('table', { name: 'Properties' })
  await table.getByRole('row', { name: /^snmp\.community •+ group All devices/ }).waitFor()

  await page.getByRole('button', { name: 'Add property' }).click()
  await page.keyboard.type('api.key')
  await page.keyboard.press('Tab')
  await page.keyboard.type('hunter2')
  await page.keyboard.press('Enter')
  const own = table.getByRole('row', { name: /^api\.key •+ this device/ })
  await own.waitFor()
  expect(await page.content()).not.toContain('hunter2')
  await own.getByRole('button', { name: 'Change api.key' }).click()
  await page.keyboard.type('hunter3')
  await page.keyboard.press('Enter')
  await own.getByRole('button', { name: 'Remove api.key' }).click()
  await until(toast, /^Removed api\.key/)
  await expect.poll(() => own.count()).toBe(0)

  await page.getByRole('button', { name: 'Change owner' }).click()
  await page.getByRole('textbox', { name: 'Value of owner' }).fill('Night shift')
  await page.keyboard.press('Enter')
  await table.getByRole('row', { name: /^owner Night shift this device/ }).waitFor()

  await page.getByRole('button', { name: 'Maintenance' }).click()
  await page.keyboard.type('Kernel update')
  await page.keyboard.press('Enter')
  await until(toast, /^Planned maintenance for 1 device/)
  await page.getByRole('tab', { name: 'History' }).click()
  const maintenance = page.getByRole('region', { name: 'Maintenance' })
  await maintenance.getByRole('listitem').filter({ hasText: 'Kernel update' }).waitFor()
  // The list of planned maintenance omits past entries.
  await page.route(/\/devices\/\d+\/sdts/, async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { items: { comment: string; isEffective: boolean; endDateTime: number }[] }
    await route.fulfill({
      json: {
        ...body,
        items: [
          ...body.items,
          {
            ...body.items.find((s) => s.comment === 'Kernel update')!,
            id: 'R_9999',
            comment: 'Over since',
            isEffective: false,
            endDateTime: 1,
          },
        ],
      },
    })
  })
  await page.getByRole('tab', { name: 'Charts' }).click()
  const listed = page.waitForResponse(/\/devices\/\d+\/sdts/)
  await page.getByRole('tab', { name: 'History' }).click()
  await listed
  await maintenance.getByRole('listitem').filter({ hasText: 'Kernel update' }).waitFor()
  expect(await maintenance.getByText('Over since').count()).toBe(0)
  await page.unroute(/\/devices\/\d+\/sdts/)
  await page
    .getByRole('region', { name: 'Changes' })
    .getByText(/customProperties|owner/)
    .first()
    .waitFor()
  await maintenance.getByRole('button', { name: /Kernel update$/ }).click()
  await expect
    .poll(() => maintenance.getByText('Planned').or(maintenance.getByText('Now')).filter({ hasText: 'Kernel' }).count())
    .toBe(0)
})
