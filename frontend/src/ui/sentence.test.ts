import { expect, test } from 'vitest'
import { sentence } from './sentence'

test.each([
  ['the proxy rejects its user name', 'The proxy rejects its user name.'],
  ['Check the address.', 'Check the address.'],
  ['http://127.0.0.1:8443 created no session', 'http://127.0.0.1:8443 created no session.'],
  ['acme.example rejects this credential', 'acme.example rejects this credential.'],
  ['busy', 'Busy.'],
])('%s', (message, want) => {
  expect(sentence(message)).toBe(want)
})
