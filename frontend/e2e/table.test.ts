import { readFile } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

async function openTable(page: Page, path: string) {
  const p = parts(page)
  await newRequest(page)
  await sendPath(page, path)
  await p.response.getByRole('tab', { name: 'Table' }).click()
  const grid = p.response.getByRole('grid', { name: 'Items' })
  await grid.waitFor()
  await grid.getByRole('gridcell').first().waitFor()
  return grid
}

async function saved(page: Page, item: string): Promise<{ name: string; content: Buffer }> {
  await parts(page).response.getByRole('button', { name: 'Export', exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: item, exact: true }).click(),
  ])
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) }
}

/** Returns a file from a zip. */
function unzip(zip: Buffer, name: string): string {
  for (
    let at = zip.readUInt32LE(zip.lastIndexOf('PK\x05\x06', undefined, 'latin1') + 16);
    zip.readUInt32LE(at) === 0x02014b50;
  ) {
    const [length, extra, comment] = [28, 30, 32].map((o) => zip.readUInt16LE(at + o))
    if (zip.toString('utf8', at + 46, at + 46 + length) === name) {
      const local = zip.readUInt32LE(at + 42)
      const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
      return inflateRawSync(zip.subarray(begin, begin + zip.readUInt32LE(at + 20))).toString('utf8')
    }
    at += 46 + length + extra + comment
  }
  throw new Error(`no ${name} in the file`)
}

test('the keyboard moves through cells, copies them, and opens them in the tree', async () => {
  const page = await portal.page()
  const p = parts(page)
  const grid = await openTable(page, '/device/devices?size=1000&fields=id,displayName')
  await grid.focus()
  await page.keyboard.press('Control+End')
  const bar = p.response.getByRole('group', { name: 'Cell', exact: true })
  await until(bar, /^displayName\s*row (\d+) of \1/)
  await expect.poll(() => grid.getByRole('row').count()).toBeLessThan(60)
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowUp')
  await until(bar, /^id\s*row 151 of 152\s*151/)
  await page.keyboard.press('Control+C')
  await until(page.getByTestId('toast'), /^Copied the cell/)
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('151')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Control+C')
  await until(page.getByTestId('toast'), /^Copied 2 × 2 cells/)
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^151\t\S+\r\n152\t\S+$/)
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Control+C')
  await until(page.getByTestId('toast'), /^Copied 152 × 2 cells/)
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText().then((all) => all.split('\r\n').length)))
    .toBe(152)

  await page.keyboard.press('Control+Home')
  await bar.getByRole('button', { name: 'Open this device' }).click()
  await expect.poll(() => p.path.inputValue()).toBe('/device/devices/{id}') // the page sends reads at once
  await until(p.status, /^200 OK/)
  await p.tree.getByText('displayName', { exact: true }).first().waitFor()

  await p.tabs.first().click()
  await grid.focus()
  await page.keyboard.press('Control+End')
  await expect.poll(() => grid.getByRole('gridcell', { selected: true }).count()).toBe(1)
  const name = await grid.getByRole('gridcell', { selected: true }).innerText()
  await page.keyboard.press('Enter')
  await until(p.tree.getByRole('treeitem', { selected: true }), new RegExp(`displayName:\\s*"${name}"`))
})

test('an id opens the Monitor, and one object is a table of keys and values', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('an id opens the Monitor: by Enter, link or cell menu', async () => {
    const shown = async () => {
      await page.getByRole('tablist', { name: 'Device details' }).waitFor()
      await page.getByText('10.10.1.11', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'API', exact: true }).click()
      await p.path.waitFor()
    }
    await newRequest(page)
    await sendPath(page, '/device/devices?filter=id:1&fields=id,name')
    const id = p.tree.getByRole('treeitem', { name: /^id ?: ?1$/ })
    await id.getByText('id', { exact: true }).click()
    await page.keyboard.press('Enter')
    await shown()
    await id.getByTitle('Open device 1 in Monitor').click()
    await shown()
    await p.response.getByRole('tab', { name: 'Table' }).click()
    await p.response.getByRole('grid', { name: 'Items' }).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menu', { name: 'Cell' }).getByRole('menuitem', { name: 'Open in Monitor' }).click()
    await shown()

    const sdt = await page.evaluate(async () => {
      const { csrfToken } = (await (await fetch('/explorer/start')).json()).user
      const body = {
        type: 'ResourceSDT',
        deviceId: 1,
        sdtType: 'oneTime',
        comment: 'New fans',
        startDateTime: Date.now() + 86_400_000,
        duration: 60,
      }
      const answer = await fetch('/api/sdt/sdts', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrfToken },
        body: JSON.stringify(body),
      })
      return ((await answer.json()) as { id: string }).id
    })
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'API' }).click()
    await newRequest(page)
    await sendPath(page, `/sdt/sdts/${sdt}?fields=id,comment`)
    await p.tree.getByTitle(`Open maintenance window ${sdt} in Monitor`).click()
    const planned = page
      .getByRole('region', { name: 'Maintenance' })
      .getByRole('listitem')
      .and(page.locator('[aria-current]'))
    await planned.filter({ hasText: 'New fans' }).waitFor()
  })

  await step('one object is a table of keys and values', async () => {
    const grid = await openTable(page, '/setting/version')
    await grid.getByRole('columnheader', { name: /^key/ }).waitFor()
    await until(grid.getByRole('row', { name: /version/ }), /version/)
  })
})

test('columns are selected, sorted, and saved as CSV and XLSX', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  const grid = await openTable(page, '/device/devices?size=100&fields=id,displayName,hostStatus,createdOn')
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('101')
  const heads = grid.getByRole('columnheader')
  await expect.poll(() => heads.count()).toBe(4)

  await p.response.getByRole('button', { name: /^Columns/ }).click()
  const chooser = page.getByRole('dialog', { name: 'Columns' })
  await chooser.getByRole('checkbox', { name: 'hostStatus' }).click()
  await chooser.getByRole('checkbox', { name: 'displayName' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect
    .poll(() => heads.allInnerTexts().then((t) => t.map((s) => s.trim())))
    .toEqual(['displayName', 'id', 'createdOn'])
  await page.keyboard.press('Escape')

  const head = grid.getByRole('columnheader', { name: /^displayName/ })
  await head.getByTitle('Sort by displayName').click()
  await head.getByTitle('Sort by displayName').click()
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending')

  const csv = await saved(page, 'Save as CSV')
  expect(csv.name).toBe('device-devices.csv')
  const lines = csv.content
    .toString('utf8')
    .trimEnd()
    .split('\r\n')
    .map((l) => l.split(','))
  expect(lines[0]).toEqual(['displayName', 'id', 'createdOn'])
  expect(lines.length).toBe(101)
  const names = lines.slice(1).map((l) => l[0])
  expect(names).toEqual([...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? 1 : -1)))
  await until(grid.getByRole('row').nth(1).getByRole('gridcell').first(), new RegExp(`^${names[0]}$`))

  const tabs = await saved(page, 'Save as TSV')
  expect(tabs.name).toBe('device-devices.tsv')
  expect(tabs.content.toString('utf8').split(/\r?\n/).slice(0, 2)).toEqual([lines[0].join('\t'), lines[1].join('\t')])
  const markdown = await saved(page, 'Save as Markdown')
  expect(markdown.name).toBe('device-devices.md')
  expect(
    markdown.content
      .toString('utf8')
      .split('\n')
      .map((l) => l.replace(/\s+/g, ' '))
      .slice(0, 3),
  ).toEqual([
    '| displayName | id | createdOn |',
    expect.stringMatching(/^\|( ?:?-+:? ?\|){3}$/),
    `| ${lines[1].join(' | ')} |`,
  ])

  const book = await saved(page, 'Save as Excel')
  expect(book.name).toBe('device-devices.xlsx')
  const sheet = unzip(book.content, 'xl/worksheets/sheet1.xml')
  const cells = [...sheet.matchAll(/<c r="([AB])2"[^>]*>(?:<is><t[^>]*>([^<]*)|<v>([^<]*))/g)].map((m) => m[2] ?? m[3])
  expect(cells).toEqual(lines[1].slice(0, 2))
  expect(sheet).not.toContain('<f>')

  await page.reload()
  await heads.first().waitFor()
  await expect
    .poll(() => heads.allInnerTexts().then((t) => t.map((s) => s.trim())))
    .toEqual(['displayName', 'id', 'createdOn'])
})

test('sort and filter of a column change the request, and its menu is reachable', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  await step('sort and filter change the request, which is stale until it is sent', async () => {
    const grid = await openTable(page, '/device/devices?size=100&fields=id,displayName')
    const menu = async (item: string) => {
      const head = grid.getByRole('columnheader', { name: /^displayName/ })
      await head.hover()
      await head.getByRole('button', { name: 'Column displayName' }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await menu('Sort in the request, descending')
    await until(page.getByTestId('toast'), /^The request now sorts by -displayName/)
    await p.response.getByText('Edited since sent').waitFor()
    await menu('Filter in the request…')
    const dialog = page.getByRole('dialog', { name: 'Filter in the request' })
    await dialog.getByRole('textbox', { name: 'displayName' }).fill('web')
    await dialog.getByRole('button', { name: 'Write into the request' }).click()
    await p.send.click()
    await until(grid.getByRole('row').nth(1), /web/)
    await expect.poll(() => grid.getAttribute('aria-rowcount')).not.toBe('101')
  })

  await step('a header sorts by click, and its menu is reachable by both buttons', async () => {
    const grid = await openTable(page, '/device/devices?size=100')
    const head = grid.getByRole('columnheader', { name: /^displayName/ })
    await head.getByRole('button', { name: 'displayName', exact: true }).click()
    await p.response.getByRole('button', { name: 'Copy cell' }).waitFor()
    await head.click({ button: 'right' })
    const menu = page.getByRole('menu', { name: 'Column displayName' })
    for (const item of await menu.getByRole('menuitem').all()) {
      const box = (await item.boundingBox())!
      expect(
        await item.evaluate(
          (e, [x, y]) => e.contains(document.elementFromPoint(x, y)),
          [box.x + box.width / 2, box.y + box.height / 2],
        ),
      ).toBe(true)
    }
    expect(await head.boundingBox()).toMatchObject({ height: 28 })
    await menu.getByRole('menuitem', { name: 'Sort in the request', exact: true }).click()
    await p.response.getByText('Edited since sent').waitFor({ state: 'attached' })
    const [snippets, side] = await Promise.all(
      [p.response.getByRole('tab', { name: 'Snippets' }), p.response.locator('.stale')].map((e) => e.boundingBox()),
    )
    const [end, below] = [snippets!.x + snippets!.width, snippets!.y + snippets!.height]
    expect(side!.x > end + 7 || side!.y >= below - 1).toBe(true)
  })
})
