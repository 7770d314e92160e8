import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, tabNames, until } from './harness'
import { step } from './story'

const portal = suite()

const shot = (page: Page, name: string) =>
  process.env.SHOTS ? page.screenshot({ path: `${process.env.SHOTS}/${name}.png` }) : undefined
const shelf = (page: Page) => page.getByRole('tree', { name: 'Collections' })
const entry = (page: Page, name: RegExp | string) => shelf(page).getByRole('treeitem', { name })

const postman = JSON.stringify({
  info: { name: 'From Postman', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  auth: { type: 'bearer' },
  variable: [{ key: 'howMany', value: '2' }],
  item: [
    {
      name: 'Reads',
      item: [
        {
          name: 'Two devices',
          request: {
            method: 'GET',
            url: {
              raw: '{{baseUrl}}/device/devices?size={{howMany}}&offset=1',
              query: [
                { key: 'size', value: '{{howMany}}' },
                { key: 'offset', value: '1', disabled: true },
              ],
            },
          },
        },
      ],
    },
  ],
})

const insomnia = `type: collection.insomnia.rest/5.0
name: Portal
meta: {id: wrk_1}
collection:
  - name: Reads
    meta: {id: fld_1}
    children:
      - name: Some devices
        meta: {id: req_1}
        method: GET
        url: "{{ _.base_url }}/device/devices"
        parameters: [{name: size, value: "{% prompt 'How many', '', '3' %}"}]
environments: {name: Base Environment, data: {base_url: "https://acme.example/santaba/rest", apiToken: t0p}}
`

const bru = (name: string, path: string) =>
  `meta {\n  name: ${name}\n  type: http\n}\n\nget {\n  url: {{host}}${path}\n  body: none\n  auth: none\n}\n`

async function showCollections(page: Page) {
  await parts(page).catalog.getByRole('tab', { name: 'Collections' }).click()
}

test('requests are saved, selected, exported, moved, deleted, and imported from other tools', async () => {
  const page = await portal.page({ user: 'operator' })
  const p = parts(page)
  await step('a request is saved by Ctrl+S, changed, and opened again', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Save request' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('All devices')
    await shot(page, 'save')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => tabNames(page)).toContain('All devices')
    await showCollections(page)
    await entry(page, 'All devices').waitFor()

    await p.path.fill('/device/groups')
    await page.keyboard.press('Control+s')
    await page.keyboard.press('Control+w')
    await entry(page, 'All devices').click()
    await expect.poll(() => p.path.inputValue()).toBe('/device/groups')

    await p.path.fill('/edited')
    await entry(page, 'All devices').click() // the tab is already open and has edits
    await expect.poll(() => p.path.inputValue()).toBe('/edited')
  })

  await step(
    'several entries are selected by keyboard, exported as a bash script, moved, deleted, and undone',
    async () => {
      await newRequest(page)
      await showCollections(page)
      await importText(page, three)
      await entry(page, /^cURL commands/).waitFor()
      const names = () =>
        shelf(page)
          .getByRole('treeitem')
          .evaluateAll((all) =>
            all
              .map(
                (e) =>
                  `${e.ariaLevel} ${e.ariaLabel?.replace(/^[A-Z]+ |,.*/g, '')}${e.ariaSelected === 'true' ? ' *' : ''}`,
              )
              .filter((n) => !n.includes('My requests') && !n.includes('All devices')),
          )
      await entry(page, /^Fleet,/).click()
      await expect.poll(names).toEqual(['1 cURL commands', '2 Fleet', '3 One', '3 Two', '3 Three', '2 Other'])

      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Shift+ArrowDown')
      await expect.poll(names).toEqual(['1 cURL commands', '2 Fleet', '3 One *', '3 Two *', '3 Three', '2 Other'])
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Space')
      await page.keyboard.press('Space')
      const bar = p.catalog.getByRole('group', { name: 'Selected entries' })
      await bar.getByText('2 selected').waitFor()
      await shot(page, 'several')

      await bar.getByRole('button', { name: 'Export…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export' })
      await dialog.getByLabel('Format').selectOption('curl')
      await expect
        .poll(() => dialog.getByLabel('What').evaluate((s: HTMLSelectElement) => s.selectedOptions[0].text))
        .toBe('Selected: 2 entries')
      await shot(page, 'export-curl')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('link', { name: 'Download' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('Requests.sh')
      const { stdout } = await promisify(execFile)('bash', [await download.path()], {
        env: { ...process.env, SPYGLASS_TOKEN: 'none' },
      }).catch((e: { stdout: string }) => e)
      expect(stdout).toContain('errorCode') // the portal refuses the token, so the command reached it
      const script = await readFile(await download.path(), 'utf8')
      expect(script.match(/^# (One|Two|Three)$/gm)).toEqual(['# One', '# Two'])

      await entry(page, 'Two').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Write a script of 2 entries…' }).click()
      const writing = page.getByRole('dialog', { name: '2 requests as one script' })
      await writing.getByRole('radio', { name: 'Python' }).check({ force: true })
      await writing.getByText('#   1. One').waitFor()
      await shot(page, 'script')
      await writing.getByRole('button', { name: 'Close' }).click()

      await bar.getByRole('button', { name: 'Move…' }).click()
      const move = page.getByRole('dialog', { name: 'Move 2 entries' })
      await move.getByLabel('To').selectOption({ label: 'cURL commands / Other' })
      await shot(page, 'move')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect
        .poll(names)
        .toEqual(['1 cURL commands', '2 Fleet', '3 Three', '2 Other', '3 Four', '3 One *', '3 Two *'])
      await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
      await expect
        .poll(names)
        .toEqual(['1 cURL commands', '2 Fleet', '3 One *', '3 Two *', '3 Three', '2 Other', '3 Four'])

      await shelf(page).focus()
      await entry(page, 'Four').click({ modifiers: ['Control'] })
      await bar.getByText('3 selected').waitFor()
      await page.keyboard.press('Delete')
      await expect.poll(names).toEqual(['1 cURL commands', '2 Fleet', '3 Three', '2 Other'])
      await page.getByTestId('toast').getByText('Deleted 3 entries').waitFor()
      await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
      await expect.poll(names).toEqual(['1 cURL commands', '2 Fleet', '3 One', '3 Two', '3 Three', '2 Other', '3 Four'])
    },
  )

  await step('collections and environments of Insomnia and Bruno are imported', async () => {
    await newRequest(page)
    await showCollections(page)
    const dialog = page.getByRole('dialog', { name: 'Import' })
    const bring = async (...files: [name: string, text: string][]) => {
      await p.catalog.getByRole('button', { name: 'Import or export' }).click()
      await page.getByRole('menuitem', { name: 'Import…' }).click()
      await dialog
        .getByLabel('File', { exact: true })
        .setInputFiles(files.map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })))
    }
    await bring(['portal.yaml', insomnia])
    await dialog.getByText('Insomnia: 1 request in 2 folders').waitFor()
    await dialog.getByText('This one becomes secret, with the value in the system keyring: apiToken.').waitFor()
    await dialog.getByText('Where Insomnia prompts for a value, a variable provides it here: How_many.').waitFor()
    await shot(page, 'import-insomnia')
    await dialog.getByRole('button', { name: 'Import 1 request' }).click()
    await entry(page, 'Some devices').waitFor()
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices')
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK.*3 items/)

    await bring(
      ['b.bru', bru('Second', '/device/groups')],
      ['env.bru', 'vars {\n  region: eu\n}\n'],
      ['a.bru', bru('First', '/alert/alerts')],
    )
    await dialog.getByText('Bruno: 2 requests').waitFor()
    await dialog.getByRole('button', { name: 'Import 2 requests' }).click()
    await entry(page, 'Second').waitFor()

    await bring([
      'globals.yaml',
      'type: environment.insomnia.rest/5.0\nname: Globals\nenvironments: {name: Base, data: {office: Vienna}}\n',
    ])
    await dialog.getByText('Insomnia: 1 variable', { exact: true }).waitFor()
    await shot(page, 'import-environment')
    await dialog.getByRole('button', { name: 'Import 1 variable' }).click()
    await p.tools.getByRole('listitem', { name: 'office' }).waitFor()
    await shot(page, 'imported-environment')

    await bring(['a.bru', bru('First', '/alert/alerts')], ['portal.yaml', insomnia])
    await until(dialog.getByRole('alert'), /^To import several files at once, select only Bruno \.bru files/)
  })
})

test('collections are imported from OpenAPI and Postman, run, exported and undone', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('an OpenAPI document becomes a collection with a folder per tag', async () => {
    await newRequest(page)
    await showCollections(page)
    const document = await (await page.request.get(`${portal.url}/api/openapi.json`)).body()
    await p.catalog.getByRole('button', { name: 'Import…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import' })
    await dialog
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'openapi.json', mimeType: 'application/json', buffer: document })
    await dialog.getByText(/^OpenAPI .*: \d+ requests in \d+ folders/).waitFor()
    await dialog.getByRole('button', { name: /^Import \d+ requests/ }).click()
    await entry(page, /^Devices/).click()
    await entry(page, 'Add a device').click()
    await expect.poll(() => p.method.inputValue()).toBe('POST')
    expect(await p.path.inputValue()).toBe('/device/devices')
    await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
    await until(p.request.locator('.cm-content'), /"displayName"/)
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => entry(page, /^Devices/).count()).toBe(0)
  })

  await step('a Postman file is previewed, imported, run and exported', async () => {
    await newRequest(page)
    await showCollections(page)
    await p.catalog.getByRole('button', { name: 'Import…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import' })
    await dialog.getByLabel('File', { exact: true }).setInputFiles({
      name: 'mine.postman_collection.json',
      mimeType: 'application/json',
      buffer: Buffer.from(postman),
    })
    await dialog.getByText('Postman collection v2.1: 1 request in 2 folders').waitFor()
    await dialog.getByText("The collection's authorization was not imported").waitFor()
    await shot(page, 'import')
    await dialog.getByRole('button', { name: 'Import 1 request' }).press('Enter')
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices') // the only request opens
    const row = () =>
      page.evaluate(
        () => document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.ariaLabel,
      )
    await expect.poll(row).toMatch(/Two devices/)
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK.*2 items/)
    await shot(page, 'collections')

    await entry(page, /^From Postman/).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Export…' }).click()
    await page.getByLabel('Format').selectOption('postman')
    await shot(page, 'export')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('From Postman.postman_collection.json')
    const written = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(written.item[0].item[0].request.url.query).toEqual([
      { key: 'size', value: '{{howMany}}' },
      { key: 'offset', value: '1', disabled: true },
    ])
  })
})

test('a damaged file imports nothing, and the keyboard moves, renames and deletes', async () => {
  const page = await portal.page({ user: 'viewer', theme: 'light', width: 1280, height: 800 })
  const p = parts(page)
  await step('a damaged file imports nothing, and an import is undone', async () => {
    await newRequest(page)
    await showCollections(page)
    await p.catalog.getByRole('button', { name: 'Import…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import' })
    const paste = dialog.getByRole('textbox')
    await paste.fill('{"info":{},"item":[')
    await dialog.getByRole('button', { name: 'Read' }).click()
    await until(dialog.getByRole('alert'), /^the text is not valid JSON: line 1/)
    await paste.fill(
      "curl 'http://x.example/api/device/devices?size=1' -H 'X-A: b'\ncurl -X DELETE http://x.example/api/device/devices/7",
    )
    await dialog.getByRole('button', { name: 'Read' }).click()
    await dialog.getByText('cURL commands: 2 requests').waitFor()
    await dialog.getByRole('button', { name: 'Import 2 requests' }).click()
    await entry(page, 'DELETE /device/devices/7').waitFor()
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await p.catalog.getByText('No collections yet').waitFor()
  })

  await step('collections are moved, renamed and deleted by keyboard', async () => {
    await newRequest(page)
    await showCollections(page)
    for (const name of ['One', 'Two']) {
      await p.catalog.getByRole('button', { name: 'New collection' }).click()
      await p.catalog.getByRole('textbox', { name: 'Name' }).fill(name)
      await page.keyboard.press('Enter')
      await entry(page, new RegExp(`^${name},`)).waitFor()
    }
    const names = () =>
      shelf(page)
        .getByRole('treeitem')
        .evaluateAll((all) => all.map((e) => `${e.ariaLevel} ${e.ariaLabel}`))
    await expect.poll(() => names()).toEqual(['1 One, 0 items', '1 Two, 0 items'])
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(names).toEqual(['1 Two, 0 items', '1 One, 0 items'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Home')
    await page.keyboard.press('End')
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(names).toEqual(['1 Two, 1 item'])
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expect.poll(names).toEqual(['1 Two, 1 item', '2 One, 0 items'])
    await shot(page, 'collections-light')
    await page.keyboard.press('F2')
    await p.catalog.getByRole('textbox', { name: 'Name' }).fill('Both')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['1 Both, 1 item', '2 One, 0 items'])
    await page.keyboard.press('Delete')
    await p.catalog.getByText('No collections yet').waitFor()
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(names).toEqual(['1 Both, 1 item', '2 One, 0 items'])
  })
})

const three = `## Fleet
# One
curl /device/devices?size=1
# Two
curl /device/groups?size=1
# Three
curl -X DELETE /device/devices/77
## Other
# Four
curl /alert/alerts
`

async function importText(page: Page, text: string) {
  await parts(page).catalog.getByRole('button', { name: 'Import or export' }).click()
  await page.getByRole('menuitem', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.getByRole('textbox').fill(text)
  await dialog.getByRole('button', { name: 'Read' }).click()
  await dialog.getByRole('button', { name: /^Import \d/ }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('a collection becomes a script, is run, and moved with the mouse', async () => {
  const page = await portal.page({ width: 1280, height: 800 })
  const p = parts(page)
  await step('a collection becomes a script that fetches all pages and passes values on', async () => {
    await newRequest(page)
    await showCollections(page)
    await importText(
      page,
      '## Scripted\n# Devices\ncurl /device/devices?size=50&fields=id\n# One\ncurl /device/devices/{{foundId}}\n',
    )
    const [token, total, extractor] = await page.evaluate(async () => {
      const start = (await (await fetch('/explorer/start')).json()) as { user: { id: number; csrfToken: string } }
      const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': start.user.csrfToken }
      const send = async (path: string, body: object) =>
        (await (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
          bearer?: string
          token?: string
          id: number
        }
      const { id } = await send('/explorer/extractors', {
        endpoint: 'GET /device/devices',
        path: '$.items[0].id',
        variable: 'foundId',
      })
      const { total } = (await (await fetch('/api/device/devices?size=1')).json()) as { total: number }
      const made = await send(`/api/setting/admins/${start.user.id}/apitokens`, { note: 'scripts' })
      return [made.bearer ?? made.token, total, id] as const
    })
    await entry(page, /^Scripted/).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Write a script…' }).click()
    const dialog = page.getByRole('dialog', { name: '2 requests as one script' })
    for (const [label, program, flag] of [
      ['Bash', 'bash', '-c'],
      ['Python', 'python3', '-c'],
      ['JavaScript', 'node', '-e'],
    ]) {
      await dialog.getByRole('radio', { name: label }).check({ force: true })
      await dialog
        .getByText({ Bash: 'set -euo', Python: 'import urllib.request', JavaScript: 'const var' }[label]!)
        .first()
        .waitFor()
      await dialog.getByRole('button', { name: 'Copy script' }).click()
      const code = await page.evaluate(() => navigator.clipboard.readText())
      const env = { ...process.env, SPYGLASS_TOKEN: token }
      const { stdout, stderr } = await promisify(execFile)(program, [flag, code], { env, maxBuffer: 1 << 26 })
      const lines = stderr.trim().split('\n')
      expect(lines).toHaveLength(Math.ceil(total / 50) + 1)
      expect(lines.slice(0, 2)).toEqual(['1. Devices from 0: 200', '1. Devices from 50: 200'])
      expect(lines.at(-1)).toBe('2. One: 200')
      expect(stdout).toContain('"displayName"')
      const elsewhere = { ...env, SPYGLASS_PORTAL: 'http://127.0.0.1:1/api' }
      await expect(promisify(execFile)(program, [flag, code], { env: elsewhere })).rejects.toThrow()
    }
    await dialog.getByRole('checkbox', { name: 'Get all pages of lists' }).uncheck()
    await dialog.getByText('sendPages').first().waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.evaluate(async (id) => {
      const start = (await (await fetch('/explorer/start')).json()) as { user: { csrfToken: string } }
      const { folders } = (await (await fetch('/explorer/collections/tree')).json()) as {
        folders: { id: number; parentId: number }[]
      }
      const made = Math.max(...folders.filter((f) => f.parentId === 0).map((f) => f.id))
      for (const path of [`extractors/${id}`, `collections/${made}`])
        await fetch(`/explorer/${path}`, { method: 'DELETE', headers: { 'X-CSRF-Token': start.user.csrfToken } })
    }, extractor)
  })

  await step(
    'a collection run confirms writes, stops or continues at a failure, and results open their entry',
    async () => {
      await newRequest(page)
      await showCollections(page)
      await importText(page, tour)
      await entry(page, /^Tour,/).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Run…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Run Tour' })
      await dialog.getByText(/^Sends 3 GET, 1 POST to .* and checks the responses\.$/).waitFor()
      await dialog.getByText(/^1 POST will change .* without further confirmation\.$/).waitFor()
      await expect
        .poll(() => dialog.getByRole('button', { name: 'Cancel' }).evaluate((b) => b === document.activeElement))
        .toBe(true)
      await shot(page, 'run-confirm')
      await dialog.getByRole('button', { name: 'Run 4 requests' }).click()
      const run = p.catalog.getByRole('region', { name: 'Run' })
      await run.getByText('1 of 2 succeeded; 2 were not sent').waitFor()
      const results = () =>
        run
          .getByRole('group', { name: 'Results' })
          .getByRole('button')
          .evaluateAll((all) =>
            all.map((b) => (b as HTMLElement).innerText.replace(/\s+/g, ' ').replace(/[\d.]+ m?s/, 'N ms')),
          )
      expect(await results()).toEqual([
        'GET Devices 200 N ms',
        'GET Nothing 404 N ms there is no endpoint at this path; GET /api/openapi.json lists all endpoints',
      ])
      await shot(page, 'run-stopped')

      await entry(page, /^Tour,/).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Run…' }).click()
      await dialog.getByRole('switch', { name: 'Stop at the first failure' }).click()
      await dialog.getByRole('button', { name: 'Run 4 requests' }).click()
      await run.getByText('3 of 4 succeeded').waitFor()
      expect((await results()).map((r) => r.split(' ')[1])).toEqual(['Devices', 'Nothing', 'Create', 'Groups'])
      // Tab reaches the list once; the arrow keys move inside it.
      expect(await run.getByRole('group', { name: 'Results' }).locator('[tabindex="0"]').count()).toBe(1)
      await run.getByRole('button', { name: /^GET Devices/ }).focus()
      for (const key of ['End', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim().replace(/\s+/g, ' '))
      await expect.poll(focused).toMatch(/^POST Create 20\d/)
      await page.keyboard.press('Enter')
      await expect.poll(() => p.path.inputValue()).toBe('/device/groups')
      await until(p.status, /^20\d /)
      await page.keyboard.press('Control+S') // saves to its own entry, not to a copy
      await until(page.getByTestId('toast'), /^Saved in Tour/)
      await run.getByRole('button', { name: 'Close the results' }).click()
      await run.waitFor({ state: 'detached' })
    },
  )

  await step('entries are dragged between others and collections, and a dropped file is imported', async () => {
    await newRequest(page)
    await showCollections(page)
    await importText(page, house)
    await entry(page, /^Cellar,/).click()
    await entry(page, /^Attic,/).click()
    const names = () =>
      shelf(page)
        .getByRole('treeitem')
        .evaluateAll((all) =>
          all
            .map((e) => `${e.ariaLevel} ${e.ariaLabel?.replace(/^[A-Z]+ |,.*/g, '')}`)
            .filter((n) => /cURL commands|Cellar|Attic|Boiler|Pump|Fan|Hatch|Roof/.test(n)),
        )
    await expect
      .poll(names)
      .toEqual(['1 cURL commands', '2 Cellar', '3 Boiler', '3 Pump', '3 Fan', '2 Attic', '3 Hatch'])
    const drag = async (what: RegExp, to: RegExp | number, part = 0.5) => {
      const from = (await entry(page, what).boundingBox())!
      const box = typeof to === 'number' ? { y: to, height: 0 } : (await entry(page, to).boundingBox())!
      await page.mouse.move(from.x + 90, from.y + 14)
      await page.mouse.down()
      await page.mouse.move(from.x + 90, from.y + 18, { steps: 2 })
      await page.mouse.move(from.x + 90, box.y + box.height * part, { steps: 4 })
      await page.mouse.up()
    }
    await drag(/^GET Boiler$/, /^GET Pump$/, 0.8)
    await expect
      .poll(names)
      .toEqual(['1 cURL commands', '2 Cellar', '3 Pump', '3 Boiler', '3 Fan', '2 Attic', '3 Hatch'])
    await drag(/^GET Hatch$/, /^GET Boiler$/, 0.2)
    await expect
      .poll(names)
      .toEqual(['1 cURL commands', '2 Cellar', '3 Pump', '3 Hatch', '3 Boiler', '3 Fan', '2 Attic'])
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await expect
      .poll(names)
      .toEqual(['1 cURL commands', '2 Cellar', '3 Pump', '3 Boiler', '3 Fan', '2 Attic', '3 Hatch'])
    await drag(/^Attic,/, /^Cellar,/, 0.1)
    await expect
      .poll(names)
      .toEqual(['1 cURL commands', '2 Attic', '3 Hatch', '2 Cellar', '3 Pump', '3 Boiler', '3 Fan'])
    await drag(/^Cellar,/, 600)
    await expect
      .poll(names)
      .toEqual(['1 cURL commands', '2 Attic', '3 Hatch', '1 Cellar', '2 Pump', '2 Boiler', '2 Fan'])
    await drag(/^Cellar,/, /^Attic,/)
    await expect
      .poll(names)
      .toEqual(['1 cURL commands', '2 Attic', '3 Cellar', '4 Pump', '4 Boiler', '4 Fan', '3 Hatch'])

    const file = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['curl /alert/alerts'], 'Roof.sh'))
      return data
    })
    await entry(page, /^Attic,/).dispatchEvent('drop', { dataTransfer: file })
    const dialog = page.getByRole('dialog', { name: 'Import' })
    await expect
      .poll(() => dialog.getByLabel('Into').evaluate((s: HTMLSelectElement) => s.selectedOptions[0].text))
      .toBe('cURL commands / Attic')
    await page.keyboard.press('Enter')
    await expect.poll(names).toContain('3 Roof')
    await page.getByRole('contentinfo').or(parts(page).status).first().dispatchEvent('drop', { dataTransfer: file })
    expect(await names()).toContain('3 Roof') // the page is still there, and no dialog opens
  })
})

test('a collection is stored in a folder, and a response as an example', async () => {
  const page = await portal.page({ width: 1280, height: 800 })
  const p = parts(page)
  await step('a response is saved as an example, shown in the docs, compared, renamed and deleted', async () => {
    await newRequest(page)
    await sendPath(page, '/device/groups?size=2')
    const keep = async () => {
      await p.response.getByRole('button', { name: 'Compare…' }).click()
      await page.getByRole('menuitem', { name: 'Save as example…' }).click()
    }
    await keep()
    await page.getByTestId('toast').getByText('Save the request first.').waitFor()
    const saving = page.getByRole('dialog', { name: 'Save request' })
    await saving.getByRole('textbox', { name: 'Name' }).fill('Two groups')
    await page.keyboard.press('Enter')
    await saving.waitFor({ state: 'detached' })
    await keep()
    const dialog = page.getByRole('dialog', { name: 'Save as example' })
    await dialog.getByRole('checkbox', { name: 'Date', exact: true }).check()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Two of them')
    await page.keyboard.press('Enter')
    await page.getByTestId('toast').getByRole('button', { name: 'Show' }).click()

    const one = p.tools.getByRole('button', { name: '200 Two of them' })
    await one.click()
    await p.tools.getByText(/^Date: /).waitFor()
    await p.tools.getByRole('group', { name: 'Body of Two of them' }).getByText('"items"').waitFor()
    await showCollections(page)
    await entry(page, 'Two groups, 1 example').waitFor()

    await sendPath(page, '/device/groups?size=3')
    await p.tools.getByRole('button', { name: 'Compare the response with Two of them' }).click()
    const comparison = p.response.getByRole('region', { name: 'Comparison' })
    await comparison.getByText('Example: Two of them').waitFor()
    await comparison.getByText(/^\d+ differences?$/).waitFor()
    await comparison.getByRole('button', { name: 'Close comparison' }).click()
    await p.response.getByRole('button', { name: 'Compare…' }).click()
    await page.getByRole('menuitem', { name: 'Example: Two of them' }).click()
    await comparison.getByText(/^\d+ differences?$/).waitFor()
    await comparison.getByRole('button', { name: 'Close comparison' }).click()

    await p.tools.getByRole('button', { name: 'Rename Two of them' }).click()
    await page.keyboard.type('A pair')
    await page.keyboard.press('Enter')
    await p.tools.getByRole('button', { name: '200 A pair' }).waitFor()
    await p.tools.getByRole('button', { name: 'Delete A pair' }).click()
    await page
      .getByRole('dialog', { name: 'Delete the example A pair?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await p.tools.getByRole('heading', { name: 'Saved examples' }).waitFor({ state: 'detached' })
    await entry(page, 'Two groups').click()
    await entry(page, 'Two groups').press('Delete')
    await entry(page, 'Two groups').waitFor({ state: 'detached' })
  })

  await step('a collection is stored in a folder, and changes are synced both ways', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices')
    await page.keyboard.press('Control+s')
    const saving = page.getByRole('dialog', { name: 'Save request' })
    await saving.getByRole('textbox', { name: 'Name' }).fill('On disk')
    await saving.getByRole('combobox', { name: 'Collection' }).selectOption({ label: 'New collection…' })
    await saving.getByRole('textbox', { name: 'New collection' }).fill('Fleet')
    await page.keyboard.press('Enter')
    await saving.waitFor({ state: 'detached' })
    await showCollections(page)
    await entry(page, /^Fleet/).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Sync with a folder…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sync with a folder' })
    await dialog.getByRole('textbox', { name: 'Folder' }).fill('../elsewhere')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').getByText('enter the path of a folder below').waitFor()
    await dialog.getByRole('textbox', { name: 'Folder' }).fill('fleet')
    await shot(page, 'keep')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const file = join(portal.collections, 'fleet', 'On disk.yaml')
    const onDisk = () => readFile(file, 'utf8').catch(() => '')
    await expect.poll(onDisk).toMatch(/^name: On disk\n(.*\n)*path: \/device\/devices\n/)
    const text = await onDisk()

    await writeFile(file, text.replaceAll('/device/devices', '/device/groups'))
    await expect.poll(() => p.path.inputValue(), { timeout: 15_000 }).toBe('/device/groups')
    await writeFile(file, `<<<<<<< HEAD\n${text}`)
    const problem = page.getByRole('status', { name: 'Problems in folders' })
    await problem.getByText('On disk.yaml, line 1: there is an unresolved conflict of git').waitFor()
    await shot(page, 'conflict')
    await writeFile(file, text)
    await problem.waitFor({ state: 'detached' })

    await rm(file)
    await entry(page, /On disk/).waitFor({ state: 'detached' })
    await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
    await entry(page, /On disk/).waitFor()
    await expect.poll(onDisk).toBe(text)
    await entry(page, /^Fleet/).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Stop syncing with the folder' }).click()
    await page.getByText(/^Fleet is no longer synced with /).waitFor()
  })
})

const tour = `## Tour
# Devices
curl /device/devices?size=1
# Nothing
curl /nowhere
# Create
curl -X POST /device/groups -d '{"name":"From a run","parentId":1}'
# Groups
curl /device/groups?size=1
`

const house = `## Cellar
# Boiler
curl /device/devices?size=1
# Pump
curl /device/groups?size=1
# Fan
curl /alert/alerts
## Attic
# Hatch
curl /setting/version
`

test('a shared collection is edited by two users at the same time', async () => {
  const mine = await portal.page({ user: 'admin' })
  const my = parts(mine)
  await newRequest(mine)
  await my.path.fill('/device/devices')
  await mine.keyboard.press('Control+s')
  const saving = mine.getByRole('dialog', { name: 'Save request' })
  await saving.getByRole('textbox', { name: 'Name' }).fill('Both change it')
  await saving.getByRole('combobox', { name: 'Collection' }).selectOption({ label: 'New collection…' })
  await saving.getByRole('textbox', { name: 'New collection' }).fill('Common')
  await mine.keyboard.press('Enter')
  await saving.waitFor({ state: 'detached' })
  await showCollections(mine)
  await entry(mine, /^Common/).click({ button: 'right' })
  await mine.getByRole('menuitem', { name: 'Share…' }).click()
  const dialog = mine.getByRole('dialog', { name: 'Share Common' })
  const user = dialog.getByRole('combobox', { name: 'User' })
  await user.click()
  await dialog.getByRole('option', { name: 'viewer' }).waitFor()
  await user.fill('nobody-at-all')
  await dialog.getByText('No user “nobody-at-all”').waitFor()
  await user.fill('oper')
  await mine.keyboard.press('Enter')
  await expect.poll(() => user.inputValue()).toBe('operator')
  await dialog.getByRole('combobox', { name: 'Permission', exact: true }).selectOption('Edit')
  await mine.keyboard.press('Enter')
  const stop = dialog.getByRole('button', { name: 'Stop sharing with operator' })
  await stop.waitFor()
  await shot(mine, 'share')

  const theirs = await portal.page({ user: 'operator' })
  const their = parts(theirs)
  await newRequest(theirs)
  await showCollections(theirs)
  await entry(theirs, /^Shared by admin/).waitFor()
  await entry(theirs, /^Common/).click()
  await entry(theirs, 'Both change it').click()
  await shot(theirs, 'shared')
  await expect.poll(() => their.path.inputValue()).toBe('/device/devices')
  await mine.keyboard.press('Escape')
  await my.path.fill('/mine') // edited here, then saved by the other user
  await their.path.fill('/device/groups')
  await theirs.keyboard.press('Control+s')
  await theirs.getByText('Saved in Shared by admin / Common').waitFor()
  await mine.keyboard.press('Control+s')
  await mine.getByText('Your version is saved as Both change it (my change)').waitFor()
  await entry(theirs, 'Both change it (my change)').waitFor()

  await entry(mine, /^Common/).hover()
  await entry(mine, /^Common/)
    .getByTitle('Menu of this entry')
    .click()
  await mine.getByRole('menuitem', { name: 'Share…' }).click()
  await stop.click()
  await entry(theirs, /^Shared by admin/).waitFor({ state: 'detached' })
})
