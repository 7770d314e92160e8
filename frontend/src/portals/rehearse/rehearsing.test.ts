import { expect, test } from 'vitest'
import type { RehearsalClient, RehearsalNote, RehearsalState } from '../../client/rehearsal'
import { linesOf, matching, Rehearsing } from './rehearsing.svelte'

const state = (stage: RehearsalState['stage'], version = 1): RehearsalState => ({
  portal: 1,
  name: 'Real',
  folder: '/copies/1-real',
  stage,
  progress: null,
  line: '',
  problem: '',
  copied: 0,
  copy: 0,
  running: false,
  version,
})

/** Fakes a client that returns the states in order, and records the requests. */
function fake(states: RehearsalState[]) {
  const calls: string[] = []
  const next = (what: string) => {
    calls.push(what)
    return Promise.resolve(states.length > 1 ? states.shift()! : states[0])
  }
  const client = {
    rehearsal: (since?: number) => next(`state ${since ?? ''}`),
    startCopy: () => next('copy'),
    deleteCopy: () => next('delete'),
    planCopy: () => (calls.push('plan'), Promise.resolve({ kinds: [], quota: null })),
    copyReport: () => (calls.push('report'), Promise.resolve({ counts: [], notes: [] })),
    compareCopy: () => Promise.reject(new Error('the portal does not respond')),
  } as unknown as RehearsalClient
  return { calls, rehearsing: new Rehearsing(client) }
}

test('a copy is followed until it is ready', async () => {
  const { calls, rehearsing } = fake([state('none'), state('copying', 4), state('copying', 5), state('ready', 9)])
  await rehearsing.begin()
  expect(rehearsing.plan).toEqual({ kinds: [], quota: null })
  await rehearsing.copy()
  expect(calls).toEqual(['state ', 'plan', 'copy', 'state 4', 'state 5', 'report'])
  expect(rehearsing.state?.stage).toBe('ready')
  expect(rehearsing.busy).toBe(false)
})

test('leaving stops following, but not the copy', async () => {
  const { calls, rehearsing } = fake([state('copying', 4)])
  rehearsing.leave()
  await rehearsing.begin()
  expect(calls).toEqual(['state '])
})

test('a deleted copy is planned again, and a failure is shown', async () => {
  const { calls, rehearsing } = fake([state('ready'), state('none')])
  await rehearsing.begin()
  await rehearsing.compare(false)
  expect(rehearsing.problem).toBe('The portal does not respond.')
  await rehearsing.remove()
  expect(calls).toEqual(['state ', 'report', 'delete', 'plan'])
  expect([rehearsing.problem, rehearsing.report]).toEqual(['', undefined])
})

test('equal notes are one line', () => {
  const note = (name: string, why: RehearsalNote['why'], text: string): RehearsalNote => ({
    kind: '/device/devices',
    noun: 'device',
    id: name,
    name,
    field: 'customProperties snmp.community',
    why,
    text,
  })
  const lines = linesOf([
    note('edge-1', 'secret', 'secrets are not copied'),
    note('db-1', 'refused', 'too long'),
    note('edge-2', 'secret', 'secrets are not copied'),
  ])
  expect(lines.map((l) => [l.why, l.names])).toEqual([
    ['secret', ['edge-1', 'edge-2']],
    ['refused', ['db-1']],
  ])
  expect(matching(lines, '', 'EDGE-2 community')).toEqual([lines[0]])
  expect(matching(lines, 'refused', 'edge')).toEqual([])
})
