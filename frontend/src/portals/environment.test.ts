import { expect, test } from 'vitest'
import { isInClear, whyNotReach, withScheme } from './environment'

test.each([
  ['http://portal.example/api', 'session', true],
  ['http://10.0.0.5:8080', 'token', true],
  [' HTTP://127.0.0.1.evil.example/', 'token', true],
  ['http://portal.example', 'lmv1', false],
  ['http://portal.example', 'none', false],
  ['https://portal.example', 'token', false],
  ['http://localhost:8443/api', 'session', false],
  ['http://127.9.0.1', 'token', false],
  ['http://[::1]:80', 'token', false],
  ['http:', 'token', false],
] as const)('%s by %s sends its credential in clear: %s', (address, auth, clear) =>
  expect(isInClear(address, auth)).toBe(clear),
)

test('without the permission, adding a portal is explained', () => {
  const reasons = [undefined, { rights: ['write on explorer'] }, { rights: ['read on device'] }].map((user) =>
    whyNotReach(user),
  )
  expect(reasons).toEqual(['', '', 'Your role cannot send requests to other portals.'])
})

test.each([
  ['127.0.0.1:8443', 'http://127.0.0.1:8443'],
  [' Localhost:8443/api ', 'http://Localhost:8443/api'],
  ['[::1]:80', 'http://[::1]:80'],
  ['portal.example/api', 'https://portal.example/api'],
  ['127.0.0.1.evil.example', 'https://127.0.0.1.evil.example'],
  ['HTTP://portal.example', 'HTTP://portal.example'],
  ['ftp://portal.example', 'ftp://portal.example'],
  ['', ''],
])('an address typed as %s becomes %s', (typed, address) => expect(withScheme(typed)).toBe(address))
