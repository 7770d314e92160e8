import { expect, test } from 'vitest'
import { Fault, type KeptEdits, type Schema } from '../../client'
import { Editing } from './editing.svelte'
import { defaultsOf, fieldOf, numberOf, problemOf, within } from './fields'

const body: Schema = {
  type: 'object',
  properties: [
    { name: 'name', type: 'string', required: true, maxLength: 5 },
    { name: 'port', type: 'integer', minimum: 1, maximum: 9, default: 4 },
    { name: 'mode', type: 'string', enum: ['a', 'b'], default: 'a' },
    { name: 'on', type: 'boolean' },
    { name: 'id', type: 'integer', readOnly: true, default: 0 },
  ],
}

test('a field gets its control, options and limits from the schema', () => {
  const of = (name: string) => fieldOf({ name, label: name }, body)
  expect(['name', 'port', 'mode', 'on', 'new'].map((n) => of(n).control)).toEqual([
    'text',
    'number',
    'choice',
    'switch',
    'text',
  ])
  expect(defaultsOf(body)).toEqual({ port: 4, mode: 'a' })
  expect([
    problemOf(of('name'), ''),
    problemOf(of('name'), 'abcdef'),
    problemOf(of('port'), 10),
    problemOf(of('port'), 1.5),
    problemOf(of('port'), numberOf(' 7 ')),
    problemOf(of('port'), numberOf('seven')),
    problemOf(of('port'), numberOf(' ')),
  ]).toEqual([
    'name is required.',
    'name can have at most 5 characters.',
    'port must be from 1 to 9.',
    'port must be a whole number.',
    '',
    'port must be a whole number.',
    '',
  ])
  expect([within('a', 'a'), within('a', 'a[0].b'), within('a', 'a.b'), within('a', 'ab')]).toEqual([
    true,
    true,
    true,
    false,
  ])
})

/** Fakes a portal with an object that other users also change. */
function portal() {
  const it = {
    value: { id: 7, name: 'one', note: 'x' } as Record<string, unknown>,
    version: 1,
    writes: [] as unknown[],
  }
  const rest = {
    get: async () => ({ value: { ...it.value }, etag: `"${it.version}"` }),
    write: async (method: string, _: string, sent: Record<string, unknown>, etag: string) => {
      it.writes.push([method, sent, etag])
      if (sent.name === '') throw new Fault('name is required', 400, { field: 'name' })
      if (etag && etag !== `"${it.version}"`) throw new Fault('changed', 412)
      it.version++
      return (it.value = { ...it.value, ...sent })
    },
  }
  let kept: KeptEdits | undefined
  const open = (from?: KeptEdits) =>
    new Editing({ rest: rest as never, path: '/things', id: 7, kept: from, keep: (k) => (kept = k) })
  return { it, open, kept: () => kept }
}

test('an invalid number is marked at its field, kept as typed, and not sent', async () => {
  const { it, open, kept } = portal()
  const form = open()
  await form.load()
  const port = fieldOf({ name: 'port', label: 'Port' }, body)
  form.set('port', numberOf('80a'))
  form.check(port)
  expect([form.at('port'), kept()?.edits]).toEqual([{ '': 'Port must be a whole number.' }, { port: '80a' }])
  expect(await form.save([port])).toBeUndefined()
  expect([it.writes, form.values.port]).toEqual([[], '80a'])
  form.set('port', numberOf('8'))
  expect(form.at('port')).toEqual({})
  expect(await form.save([port])).toMatchObject({ port: 8 })
})

test('changes of the portal itself are no conflict', async () => {
  const { it, open } = portal()
  const form = open()
  await form.load()
  form.set('name', 'two')
  const fields = ['name', 'note'].map((name) => fieldOf({ name, label: name }, body))
  it.value = { ...it.value, usedOn: 5 }
  it.version++
  expect(await form.save(fields)).toMatchObject({ name: 'two', usedOn: 5 })
  expect([form.conflict, it.writes.map((w) => (w as string[])[2])]).toEqual([undefined, ['"1"', '"2"']])
  form.set('name', 'three')
  it.value = { ...it.value, note: 'theirs' }
  it.version++
  expect(await form.save(fields)).toBeUndefined()
  expect(form.conflict).toMatchObject({ fields: [], theirs: { note: 'theirs' } })
})

test('only changed fields are sent and stored, with the base version', async () => {
  const { it, open, kept } = portal()
  const form = open()
  await form.load()
  form.set('name', 'two')
  form.set('note', 'y')
  form.set('note', 'x') // back to the saved value
  expect([form.dirty, kept()]).toEqual([true, { etag: '"1"', edits: { name: 'two' }, was: { name: 'one' } }])
  expect(await form.save([])).toEqual({ id: 7, name: 'two', note: 'x' })
  expect(it.writes).toEqual([['PATCH', { name: 'two' }, '"1"']])
  expect([form.dirty, kept()]).toEqual([false, undefined])
})

test('an error stays at its field until the field is edited', async () => {
  const { open } = portal()
  const form = open()
  await form.load()
  form.set('name', '')
  expect(await form.save([])).toBeUndefined()
  expect([form.at('name'), form.fault]).toEqual([{ '': 'name is required' }, undefined])
  form.set('name', 'z')
  expect(form.at('name')).toEqual({})
})

test('restored edits show conflicts with newer changes, and nothing is lost', async () => {
  const { it, open } = portal()
  it.value = { ...it.value, name: 'theirs', note: 'also theirs' }
  it.version = 2
  const form = open({ etag: '"1"', edits: { name: 'mine' }, was: { name: 'one' } })
  await form.load()
  expect(await form.save([])).toBeUndefined()
  expect(form.conflict).toMatchObject({ fields: ['name'], theirs: { name: 'theirs' } })
  expect(form.values.name).toBe('mine')
  form.keepMine()
  expect(await form.save([])).toEqual({ id: 7, name: 'mine', note: 'also theirs' })

  form.set('name', 'mine again')
  it.value = { ...it.value, name: 'theirs again' }
  it.version = 9
  await form.save([])
  form.takeTheirs()
  expect([form.values.name, form.dirty, form.conflict]).toEqual(['theirs again', false, undefined])
})

test('nothing is saved while a field is invalid', async () => {
  const { it, open } = portal()
  const form = open()
  await form.load()
  const refuse = form.refusing('note')
  form.set('name', 'two')
  refuse('.day', 'A day is required.')
  expect([form.touched, form.at('note'), await form.save([]), it.writes]).toEqual([
    true,
    { '.day': 'A day is required.' },
    undefined,
    [],
  ])
  form.set('note', 'y') // another part of the same field
  expect(form.at('note')).toEqual({ '.day': 'A day is required.' })
  form.discard()
  expect([form.touched, form.at('note')]).toEqual([false, {}])
  refuse('.day', 'A day is required.')
  expect([form.touched, form.dirty]).toEqual([true, false])
  refuse('.day', '')
  form.set('name', 'two')
  await form.save([])
  expect(it.writes).toHaveLength(1)
})
