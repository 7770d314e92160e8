import { afterEach, expect, test, vi } from 'vitest'
import { comeBack, keepLink, onSignIn } from './provider'

afterEach(() => vi.unstubAllGlobals())

function fakeStorage() {
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
}

test('a sign-in at a provider comes back to the link in the address, once', () => {
  fakeStorage()
  const leave = (hash: string) => {
    vi.stubGlobal('location', { hash })
    keepLink()
  }
  expect(comeBack()).toBe('')
  leave('#monitor/alerts?severity=4')
  expect(comeBack()).toBe('#monitor/alerts?severity=4')
  expect(comeBack()).toBe('')
  leave('#monitor/alerts')
  leave('') // the first sign-in was cancelled
  expect(comeBack()).toBe('')
})

test('a sign-in at a provider notifies other tabs', async () => {
  fakeStorage()
  const notified = new Promise<void>((done) => {
    const end = onSignIn(() => (end(), done()))
  })
  comeBack()
  await notified
})
