import { mount } from 'svelte'
import './ui/tokens.css'
import './ui/base.css'
import { App } from './app.svelte'
import Page from './App.svelte'
import type { Client } from './client'
import { httpClient } from './client/http'
import { followTheme } from './theme'
import { chooseFonts } from './ui/fonts'

async function chooseClient(): Promise<Client> {
  if (import.meta.env.MODE === 'fake') return (await import('./fake')).fakeClient()
  return httpClient()
}

if (location.pathname === '/launch') history.replaceState(null, '', '/') // its token is used up

const system = matchMedia('(prefers-color-scheme: light)')
if (!document.documentElement.dataset.theme) followTheme('system', system.matches) // else the server knew the user's own

chooseFonts(document.documentElement)
const app = new App(await chooseClient())
await app.load()
mount(Page, { target: document.getElementById('app')!, props: { app, system } })
