/** Starts portals with responses from the test, and adds them to the page. */
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { newRequest, until } from './harness'

export interface Stub {
  url: string
  stop(): void
}

/** Starts a portal on another port. With `tls`, its certificate is untrusted. */
export async function startStub(answer: RequestListener, tls?: { key: string; cert: string }): Promise<Stub> {
  const server = tls ? createSecureServer(tls, answer) : createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const switcher = (page: Page) => page.getByRole('banner').locator('button.portal')

/** Opens the form for a new portal and fills in the name and the address. */
export async function portalForm(page: Page, name: string, address: string): Promise<Locator> {
  await switcher(page).click()
  await page.getByRole('menuitem', { name: 'Add portal…' }).click()
  const form = page.getByRole('dialog', { name: 'Add portal' })
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByLabel('Address').fill(address)
  return form
}

/** Adds a portal that needs no sign-in, and opens a new request to it. */
export async function atStub(page: Page, name: string, address: string, more = async (_: Locator) => {}) {
  const form = await portalForm(page, name, address)
  await form.getByLabel('Environment').selectOption('staging')
  await form.getByLabel('Sign-in method').selectOption('none')
  await more(form)
  await form.getByRole('button', { name: 'Add portal' }).click()
  await form.waitFor({ state: 'detached' })
  await until(switcher(page), new RegExp(name))
  await newRequest(page)
}
