import { expect, test } from 'vitest'
import { fieldOf } from './field'
import { runText } from '../state/sending/sending.svelte'

const row = (key: string, on = true) => ({ on, key, value: '1' })
const draft = {
  pathParams: [row('id')],
  query: [row('size'), row('sort', false)],
  headers: [row('X-Version')],
  body: '{}',
}

test.each([
  ['size', 'query.size'],
  ['id', 'path.id'],
  ['x-version', 'headers.x-version'],
  ['sort', 'body.sort'],
  ['name', 'body.name'],
])('the field %s is shown at %s', (field, at) => {
  expect(fieldOf(field, draft)).toBe(at)
})

test('an unknown field is not marked in a request without a body', () => {
  expect(fieldOf('name', { ...draft, body: '' })).toBe('')
})

test('progress is a sentence, even if the number of pages is unknown', () => {
  const run = { page: 6, pages: 13, items: 6412, ms: 4100, state: 'running', wait: 0 }
  expect(runText(run)).toBe('page 7 of 13 · 6,412 items · 4.1 s')
  expect(runText({ ...run, pages: 0, items: 1, state: 'waiting', wait: 1500 })).toBe(
    'page 7 · 1 item · 4.1 s · waiting 2 s for the quota',
  )
  expect(runText({ ...run, ms: 65_000, state: 'waiting', wait: 3_599_001 })).toBe(
    'page 7 of 13 · 6,412 items · 1 min 5 s · waiting 1 h for the quota',
  )
  expect(runText({ ...run, state: 'waiting', wait: 60_000 }, run.ms + 20_000)).toBe(
    'page 7 of 13 · 6,412 items · 24.1 s · waiting 40 s for the quota',
  )
})
