import { mount } from 'svelte'
import './ui/tokens.css'
import './ui/base.css'
import { App } from './state/app.svelte'
import Page from './App.svelte'
import type { Client } from './client'
import { httpClient } from './client/http'
import { chooseFonts } from './ui/fonts'
import { quiet } from './ui/painted'
import { commandList } from './commands'
import { comeBack } from './signin/provider'
import { views } from './views'

async function chooseClient(): Promise<Client> {
  if (import.meta.env.MODE === 'fake') return (await import('./fakes/client')).fakeClient()
  return httpClient()
}

/** Resolves when the page's styles have loaded, or failed to. WebKit does not always run a module after them. */
async function styled() {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) {
    if (!link.sheet) await new Promise((done) => (link.onload = link.onerror = done))
  }
}

// what they were given is used up
if (location.pathname === '/launch') history.replaceState(null, '', '/')
if (location.pathname === '/oidc/callback') history.replaceState(null, '', `/${comeBack()}`)

const system = matchMedia('(prefers-color-scheme: light)')

/** No top-level await: views import this module, which would cause a deadlock. */
async function begin() {
  const app = new App(await chooseClient(), views, commandList)
  const loaded = app.load(document.documentElement.dataset)
  await styled()
  const root = document.documentElement
  // at the same time, because one waits for the CPU and the other for the portal
  const fonts = root.dataset.fontUi ? undefined : chooseFonts(root)
  await loaded
  const target = document.getElementById('app')!
  target.replaceChildren() // of the first paint
  mount(Page, { target, props: { app, system } })
  if (!fonts) await quiet()
  if (app.session.start?.desktop) app.settings.remember(fonts ?? chooseFonts(root))
}

void begin()
