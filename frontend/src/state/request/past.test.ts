import { beforeEach, describe, expect, test } from 'vitest'
import { Past, type Snapshot } from './past'
import { editRow } from './rows'

const size = editRow({ key: 'size', value: '' })
const first: Snapshot = {
  method: 'GET',
  path: '/a',
  template: '',
  pathParams: [],
  query: [size],
  headers: [],
  body: '',
  bodyOff: [],
  checks: [],
}
let past: Past
let now = 0
let state: Snapshot

function edit(change: Partial<Snapshot>, after = 10) {
  state = { ...state, ...change }
  past.note(state, (now += after))
}

beforeEach(() => {
  past = new Past((state = first))
})

const value = (v: string) => ({ query: [{ ...size, value: v }] })

describe('undo', () => {
  test('typing in one field is one step', () => {
    for (const path of ['/ab', '/abc', '/abcd']) edit({ path })
    expect(past.undo()).toEqual(first)
    expect(past.canUndo).toBe(false)
    expect(past.redo()?.path).toBe('/abcd')
  })

  test('typing over all of a field is one step', () => {
    for (const path of ['/', '/d', '/de']) edit({ path })
    edit({ path: '/devices/5' })
    for (const path of ['/', '/g']) edit({ path })
    expect(past.undo()?.path).toBe('/devices/5')
    expect(past.undo()?.path).toBe('/de')
    expect(past.undo()?.path).toBe('/a')
  })

  test('a body that follows the path belongs to its step', () => {
    edit({ path: '/ab', body: '{}' })
    edit({ path: '/abc', body: '' })
    expect(past.undo()).toEqual(first)
    expect(past.redo()?.body).toBe('')
  })

  test('a pause ends the step', () => {
    edit({ path: '/ab' })
    edit({ path: '/abc' }, 1500)
    expect(past.undo()?.path).toBe('/ab')
    expect(past.undo()?.path).toBe('/a')
  })

  test('another field is another step', () => {
    edit({ path: '/ab' })
    edit(value('5'))
    edit({ method: 'PUT' })
    expect(past.undo()?.method).toBe('GET')
    expect(past.undo()?.query[0].value).toBe('')
    expect(past.undo()?.path).toBe('/a')
  })

  test('a switch, a paste, a moved and a removed row are steps of their own', () => {
    edit({ query: [{ ...size, on: false }] })
    edit({ query: [{ ...size, on: true }] })
    edit({ path: '/something/else' })
    edit({ path: '/something/other' })
    edit({ query: [] })
    expect(past.undo()?.query).toHaveLength(1)
    expect(past.undo()?.path).toBe('/something/else')
    expect(past.undo()?.path).toBe('/a')
  })

  test('an edit after undoing forgets what could be redone', () => {
    edit({ method: 'PUT' })
    past.undo()
    state = first
    edit({ method: 'POST' })
    expect(past.canRedo).toBe(false)
  })

  test('the editor’s own undo is no new step', () => {
    edit({ body: '{}' })
    edit({ body: '{"a": 1}' })
    edit({ body: '{}' })
    expect(past.undo()?.body).toBe('')
    expect(past.redo()?.body).toBe('{}')
    expect(past.redo()?.body).toBe('{"a": 1}')
  })

  test('steps and characters are limited', () => {
    for (let i = 0; i < 500; i++) edit({ method: i % 2 ? 'GET' : 'PUT' })
    let steps = 0
    while (past.undo()) steps++
    expect(steps).toBe(200)
    past = new Past((state = first))
    for (let i = 0; i < 10; i++) edit({ body: String(i).repeat(1_000_000) })
    for (steps = 0; past.undo();) steps++
    expect(steps).toBeLessThanOrEqual(5)
  })
})
