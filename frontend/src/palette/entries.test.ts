import { expect, test } from 'vitest'
import { search, type Entry, type Group } from './entries'

const entry = (group: Group, text: string, more: Partial<Entry> = {}): Entry => ({ id: text, group, text, hint: '', words: '', key: '', run: () => {}, ...more })
const all = [
  entry('Go to', 'API Explorer'),
  entry('Go to', 'New API Request'),
  entry('Go to', 'Monitor'),
  entry('Run', 'Send Request'),
  entry('Endpoints', '/setting/admins/{id}/apitokens', { words: 'GET Settings' }),
  entry('Endpoints', '/device/devices', { words: 'POST Devices', hint: 'Add a device' }),
  entry('History', '/device/devices/42', { words: 'GET' }),
]
const found = (query: string) => search(all, query).map((s) => [s.group, ...s.entries.map((e) => e.item.text)])

test('typing API offers the explorer and a new request first', () => {
  expect(found('API')).toEqual([
    ['Go to', 'API Explorer', 'New API Request'],
    ['Endpoints', '/setting/admins/{id}/apitokens'],
  ])
})

test('> looks at commands only and / at endpoints only', () => {
  expect(found('>')).toEqual([['Go to', 'API Explorer', 'New API Request', 'Monitor'], ['Run', 'Send Request']])
  expect(found('>send')).toEqual([['Run', 'Send Request']])
  expect(found('/dev')).toEqual([['Endpoints', '/device/devices']])
  expect(found('/')).toEqual([['Endpoints', '/setting/admins/{id}/apitokens', '/device/devices']])
})

test('a method narrows', () => {
  expect(found('post dev')).toEqual([['Endpoints', '/device/devices']])
})

test('nothing found is no section', () => {
  expect(found('zzzz')).toEqual([])
})
