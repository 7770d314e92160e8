import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { addVariable, newRequest, parts, signIn, suite, until } from './harness'
import { step } from './story'

const portal = suite()

test('a variable is created, used, renamed, made secret, and validated', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await step('an invalid name is explained below the field, and scopes are distinguished', async () => {
    await newRequest(page)
    await addVariable(page)
    await page.keyboard.type('1 x')
    await p.tools.getByText('Letters, digits and _ . - only, starting with a letter').waitFor()
    await p.tools.getByRole('textbox', { name: 'Variable name' }).last().fill('both')
    await p.tools.getByRole('button', { name: 'Delete both' }).waitFor()
    await p.tools.getByLabel('Scope of both').selectOption('global')
    await addVariable(page)
    await page.keyboard.insertText('both')
    await p.tools.getByText('Overrides the variable of all portals').waitFor()
    await p.tools.getByText('Overridden by the variable of this portal').waitFor()
    await p.tools
      .getByText(/^\d{10}$/)
      .first()
      .waitFor()
  })

  await step('a variable keeps the focus during typing, is renamed where it is used, and links there', async () => {
    await newRequest(page)
    await p.path.fill('/device/devices/{{site}}')
    await addVariable(page)
    await page.keyboard.type('site', { delay: 120 }) // slow enough for a save after each key, which must keep the focus
    await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('site')
    const row = p.tools.getByRole('listitem', { name: 'site' })
    await row.getByRole('button', { name: 'GET /device/devices/{{site}}' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await row.getByLabel('Value of site').focus()
    await page.keyboard.type('42', { delay: 450 })
    await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('42')

    await row.getByRole('textbox', { name: 'Variable name' }).fill('place')
    await p.path.focus()
    await page.getByTestId('toast').getByRole('button', { name: 'Rename to {{place}}' }).click()
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices/{{place}}')
    await newRequest(page)
    await p.tools.getByRole('button', { name: 'GET /device/devices/{{place}}' }).click()
    await expect.poll(() => p.path.inputValue()).toBe('/device/devices/{{place}}')
  })

  await step('a variable that is no longer secret lost its value, which undo restores', async () => {
    await newRequest(page)
    await addVariable(page)
    await page.keyboard.type('hidden')
    const row = p.tools.getByRole('listitem', { name: 'hidden' })
    await row.getByLabel('Value of hidden').fill('web')
    const secret = row.getByRole('checkbox', { name: 'Secret' })
    await p.path.fill('/device/devices?filter=displayName~"{{hidden}}"&size=1')
    await p.tools.getByRole('tab', { name: 'Variables' }).click() // the tab Docs has opened in front
    await secret.check()
    await row.getByPlaceholder(/^••••/).waitFor()
    await secret.uncheck()
    const message = page.getByTestId('toast')
    await until(message, /^{{hidden}} lost its value: a secret cannot be read back/)
    await message.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => secret.isChecked()).toBe(true)
    await p.path.focus()
    await page.keyboard.press('Control+Enter')
    await until(p.status, /^200 OK.*1 item/)
  })
})

test('variables are exported without secrets, and an import overwrites only on request', async () => {
  const page = await portal.page({ user: 'viewer' })
  const p = parts(page)
  await newRequest(page)
  await addVariable(page)
  await page.keyboard.insertText('apiKey')
  await p.tools.getByRole('button', { name: 'Delete apiKey' }).waitFor()
  await p.tools.getByRole('checkbox', { name: 'Secret' }).check()
  await expect.poll(() => p.tools.getByLabel('Value of apiKey').getAttribute('type')).toBe('password')
  await p.tools.getByLabel('Value of apiKey').fill('pLaNtEd-53cr3t')
  await page.waitForResponse(
    (r) =>
      r.request().method() === 'PATCH' &&
      r.url().includes('/explorer/variables/') &&
      (r.request().postData() ?? '').includes('pLaNtEd'),
  )

  const more = p.tools.getByRole('button', { name: 'More for variables' })
  await more.click()
  const saved = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export as JSON' }).click()
  const text = await readFile(await (await saved).path(), 'utf8')
  expect(JSON.parse(text)).toEqual({
    spyglass: 'variables',
    variables: [{ name: 'apiKey', scope: 'portal', secret: true, note: 'its value is in the system keyring' }],
  })

  const file = (text: string) =>
    p.tools
      .getByLabel('File of variables')
      .setInputFiles({ name: 'x.env', mimeType: 'text/plain', buffer: Buffer.from(text) })
  await file('region=eu\nsize="1 2"\n')
  await page.getByTestId('toast').getByText('Imported 2 of 2 variables').waitFor()
  await file('region=us\nfresh=1\n')
  const dialog = page.getByRole('dialog', { name: 'Replace values?' })
  await dialog.getByRole('button', { name: 'Add new only (1)' }).click()
  await p.tools.getByRole('button', { name: 'Delete fresh' }).waitFor()
  await expect.poll(() => p.tools.getByLabel('Value of region').inputValue()).toBe('eu')
  await file('region=us\n')
  await dialog.getByRole('button', { name: 'Replace 1' }).click()
  await until(page.getByTestId('toast'), /Imported 1 of 1/)
  await expect.poll(() => p.tools.getByLabel('Value of region').inputValue()).toBe('us')

  const secret = p.tools.getByLabel('Value of apiKey')
  const kept = (await secret.getAttribute('placeholder'))!
  await portal.crash()
  await page.goto(portal.url)
  await signIn(page, 'viewer')
  await expect
    .poll(() => secret.getAttribute('placeholder'))
    .toBe(kept.includes('in the system keyring') ? kept : 'not saved, no system keyring: type it again')
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/variables-missing.png` })
  await secret.fill('pLaNtEd-again')
  await expect.poll(() => secret.getAttribute('placeholder')).toBe(kept)
})

test('a deleted secret is restored, uses of a variable open their request, and recent requests come first', async () => {
  const page = await portal.page({ user: 'viewer', theme: 'light', width: 1280, height: 800 })
  const p = parts(page)
  await newRequest(page)
  for (const [name, value] of [
    ['zone', '1'],
    ['hush', 'pLaNtEd'],
    ['newest', '2'],
  ]) {
    await addVariable(page)
    await page.keyboard.type(name)
    const row = p.tools.getByRole('listitem', { name })
    await row.getByLabel(`Value of ${name}`).fill(value)
    if (name === 'hush') await row.getByRole('checkbox', { name: 'Secret' }).check()
  }
  const row = p.tools.getByRole('listitem', { name: 'hush' })
  await row.getByLabel('Value of hush').fill('pLaNtEd')
  await row.getByRole('checkbox', { name: 'Secret' }).focus()
  await expect
    .poll(() => row.getByLabel('Value of hush').getAttribute('placeholder'))
    .toMatch(/(in the system keyring|until Spyglass closes)/)
  await p.path.fill('/device/devices?size=1&filter=name~"{{hush}}"')
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  await p.tools.getByRole('tab', { name: 'Variables' }).click() // the tab Docs has opened in front
  const names = () =>
    p.tools
      .getByRole('list', { name: 'Variables', exact: true })
      .getByRole('listitem')
      .evaluateAll((all) => all.map((e) => e.ariaLabel).filter((n) => n === 'zone' || n === 'hush'))
  await expect.poll(() => names()).toEqual(['zone', 'hush'])
  await p.tools.getByRole('button', { name: 'More for variables' }).click()
  await page.getByRole('menuitemradio', { name: 'Sort by last sent' }).click()
  await expect.poll(names).toEqual(['hush', 'zone'])

  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog', { name: 'Save request' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Quiet devices')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await p.path.focus()
  await page.keyboard.press('Control+w')
  await row.getByText('Saved in').waitFor()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/variables.png` })
  await row.getByRole('button', { name: 'Quiet devices' }).click()
  await expect.poll(() => p.path.inputValue()).toBe('/device/devices')

  await row.getByRole('button', { name: 'Delete hush' }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await row.waitFor()
  await p.path.focus()
  await page.keyboard.press('Control+Enter')
  await until(p.status, /^200 OK/)
  await p.request.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('********').first().waitFor() // the preview masks the value
})

test('only visible variables are rendered, and each is found', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  await p.tools.getByRole('tab', { name: 'Variables' }).click()
  await p.tools.getByLabel('File of variables').setInputFiles({
    name: 'many.env',
    mimeType: '',
    buffer: Buffer.from(Array.from({ length: 200 }, (_, i) => `many${i}=${i}\n`).join('')),
  })
  await until(page.getByTestId('toast'), /^Imported 200 of 200 variables/)
  const rows = p.tools.getByRole('list', { name: 'Variables', exact: true }).getByRole('listitem')
  expect(await rows.count()).toBe(50)
  const last = p.tools.getByRole('listitem', { name: 'many199' })
  await expect
    .poll(async () => {
      await rows.last().scrollIntoViewIfNeeded()
      return last.count()
    })
    .toBe(1)
  const kept = async () =>
    (
      (await (await page.request.get(`${portal.url}/explorer/start`)).json()) as {
        settings: { scroll?: { variables?: { top: number } } }
      }
    ).settings.scroll?.variables?.top ?? 0
  await expect.poll(kept).toBeGreaterThan(10_000)
  await page.reload()
  await expect.poll(() => last.isVisible()).toBe(true) // restores the scroll position
  await p.tools.getByRole('searchbox').fill('many150')
  await p.tools.getByRole('listitem', { name: 'many150' }).waitFor()
  await p.tools.getByRole('searchbox').fill('')
  await p.tools.getByRole('button', { name: 'Add variable' }).click()
  await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('variable1')
})

test('an environment overrides variables, is switched beside the portal and in the palette, and restored', async () => {
  const page = await portal.page({ fresh: true, width: 1280, height: 800 })
  const p = parts(page)
  const name = p.tools.getByRole('textbox', { name: 'Environment name' })
  const environment = page.getByRole('combobox', { name: 'Environment' })
  const palette = async (words: string) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText(words)
  }
  const preview = async (path: string) => {
    await palette('preview')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(path).waitFor()
    const text = await dialog.innerText()
    await page.keyboard.press('Escape')
    return text
  }
  await newRequest(page)
  await p.path.fill('/device/groups/{{group}}')
  await addVariable(page)
  await page.keyboard.insertText('group')
  await p.tools.getByLabel('Value of group').fill('1')
  await p.tools.getByRole('button', { name: 'More for variables' }).click()
  await page.getByRole('menuitem', { name: 'Add environment' }).click()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Environment name')
  await page.keyboard.insertText('Staging')
  await page.keyboard.press('Enter')
  await p.tools.getByRole('tab', { name: 'Staging', selected: true }).waitFor()
  await p.tools.getByText('No variables in Staging yet').waitFor()
  await addVariable(page)
  await page.keyboard.insertText('group')
  await p.tools.getByLabel('Value of group').fill('2')
  await p.tools.getByText('Overrides the variable outside of environments').waitFor()
  expect(await preview('/device/groups/1')).toMatch(/group\s+1 portal/)

  await environment.selectOption('Staging')
  await expect.poll(() => p.tools.getByRole('checkbox', { name: 'Active' }).isChecked()).toBe(true)
  expect(await preview('/device/groups/2')).toMatch(/group\s+2 Staging/)
  await p.tools.getByRole('tab', { name: 'No environment' }).click()
  await p.tools.getByText('Overridden by Staging').waitFor()
  await palette('environment none')
  await page.keyboard.press('Enter')
  await expect.poll(() => environment.inputValue()).toBe('0')
  await palette('environment staging')
  await page.getByRole('option', { name: /Environment: Staging/ }).click()
  await expect.poll(() => environment.locator('option:checked').innerText()).toBe('Staging')

  await page.reload()
  await expect.poll(() => environment.locator('option:checked').innerText()).toBe('Staging')
  await p.tools.getByRole('tab', { name: 'Staging' }).click()
  await p.tools.getByRole('button', { name: 'Delete Staging' }).click()
  await expect.poll(() => environment.count()).toBe(0)
  expect(await preview('/device/groups/1')).toMatch(/group\s+1 portal/)
  await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => environment.locator('option:checked').innerText()).toBe('Staging')
  expect(await preview('/device/groups/2')).toMatch(/group\s+2 Staging/)
  await p.tools.getByRole('tab', { name: 'Staging' }).click()
  await expect.poll(() => name.inputValue()).toBe('Staging')
  await p.tools.getByRole('button', { name: 'Delete Staging' }).click() // cleans up for the next tests
  await expect.poll(() => environment.count()).toBe(0)
})
