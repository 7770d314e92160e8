import { expect, test } from 'vitest'
import { difference } from './checks'

test.each([
  ['web-01', 'web-02', { before: 'web-0', a: '1', b: '2', after: '' }],
  ['200', '404', { before: '', a: '200', b: '404', after: '' }],
  ['a', 'aa', { before: 'a', a: '', b: 'a', after: '' }],
  ['on 🟢 now', 'on 🔴 now', { before: 'on ', a: '🟢', b: '🔴', after: ' now' }],
  ['', 'nothing', { before: '', a: '', b: 'nothing', after: '' }],
  ['same', 'same', { before: 'same', a: '', b: '', after: '' }],
])('the difference between %j and %j', (a, b, want) => expect(difference(a, b)).toEqual(want))
