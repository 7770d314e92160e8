import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../client'
import { Lookups } from '../state/request/lookups'
import type { App } from '../state/app.svelte'
import { Toasts } from '../ui/toast.svelte'
import { commented, spoken, type Plan } from './verb'
import { verbs } from './verbs'
import { filterOf } from './verbs/get'
import { minutesOf, momentOf, spanned } from './when'

const item = (name: string, more: object = {}) => ({ name, type: 'string', ...more })
const list = (path: string, fields: object[], filtered: Record<string, string[]>) =>
  ({
    id: `GET ${path}`,
    method: 'GET',
    path,
    summary: `List ${path}`,
    permission: path === '/device/devices' ? 'read on device' : '',
    params: [
      { name: 'size', in: 'query' },
      {
        name: 'filter',
        in: 'query',
        operators: Object.entries(filtered).map(([field, ops]) => ({ fields: [field], ops })),
      },
    ],
    answer: { properties: [{ name: 'items', items: { properties: fields } }] },
  }) as unknown as Endpoint
const texts = { name: [':', '~'], displayName: [':', '~'], hostStatus: [':'] }
const devices = list(
  '/device/devices',
  [
    item('id', { type: 'integer' }),
    item('displayName'),
    item('name'),
    item('hostStatus', { enum: ['normal', 'dead'] }),
  ],
  texts,
)
const groups = list('/device/groups', [item('id', { type: 'integer' }), item('name'), item('fullPath')], {
  name: ['~'],
  fullPath: ['~'],
})
const reports = list('/report/reports', [item('id', { type: 'integer' }), item('name')], { name: ['~'] })
const endpoints = [devices, groups, reports]

interface Answers {
  devices?: string[]
  groups?: string[]
  reports?: string[]
  alerts?: string[]
}

/** Fakes a portal with these objects, and records the requests. */
function portal({ devices = [], groups = [], reports = [], alerts = [] }: Answers = {}) {
  const requests: [string, Record<string, string>][] = []
  const named = (names: string[]) => names.map((name, i) => ({ id: i + 1, name, displayName: name, numOfHosts: 4 }))
  const items: Record<string, object[]> = {
    '/device/devices': named(devices),
    '/device/groups': named(groups),
    '/report/reports': named(reports),
    '/alert/alerts': alerts.map((name, i) => ({
      id: `DS${i}`,
      severity: 4,
      monitorObjectName: name,
      dataPointName: 'loss',
      instanceId: i,
    })),
    '/device/groups/1/alerts': [{ id: 'DS9', severity: 3, monitorObjectName: 'db-1', dataPointName: 'load' }],
  }
  const went: unknown[] = []
  const app = {
    portal: { remote: true, readOnly: false, name: 'Demo' },
    session: { user: { role: 'administrator', rights: ['read on device'] } },
    catalog: {
      settled: Promise.resolve(),
      endpoints,
      byId: (id: string) => endpoints.find((e) => e.id === id),
      match: (method: string, path: string) => endpoints.find((e) => e.method === method && e.path === path),
    },
    live: { now: new Date(2026, 10, 26, 14, 30).getTime() },
    navigation: { watch: (...to: unknown[]) => went.push(to) },
    lookups: new Lookups({
      lookup: async <T>(path: string, query: Record<string, string> = {}) => {
        requests.push([path, query])
        return { total: items[path].length, items: items[path] } as T
      },
    }),
  } as unknown as App
  return { app, requests, went }
}

async function planned(command: string, answers?: Answers): Promise<Plan[] & { at?: ReturnType<typeof portal> }> {
  const at = portal(answers)
  const { verb, typed } = spoken(verbs, command)!
  return Object.assign(await verb.plan(at.app, typed, new AbortController().signal), { at })
}
const textsOf = (plans: Plan[]) => plans.map((p) => p.text)

test('an action is the first word or a synonym, and needs an object', () => {
  expect(spoken(verbs, 'Acknowledge  core sw')).toMatchObject({ verb: { word: 'ack' }, typed: 'core sw' })
  expect(spoken(verbs, 'ack')).toBeUndefined()
  expect(spoken(verbs, 'ack ')).toBeUndefined()
  expect(spoken(verbs, 'acker core')).toBeUndefined()
  const all = verbs.flatMap((v) => [v.word, ...v.also])
  expect(new Set(all).size).toBe(all.length)
})

test('a comment follows a colon and a space', () => {
  expect(commented('core: the carrier knows: soon')).toEqual({ target: 'core', comment: 'the carrier knows: soon' })
  expect(commented('fe80::1')).toEqual({ target: 'fe80::1', comment: '' })
})

test('durations and times are parsed, and nothing else', () => {
  expect(['30m', '2h', '1D', '1w', '5min'].map(minutesOf)).toEqual([30, 120, 1440, 10_080, 5])
  expect(['0h', '1x', 'h', '99w', '-1h'].map(minutesOf)).toEqual(Array(5).fill(undefined))
  expect(spanned('web 01 for 2h')).toEqual({ target: 'web 01', minutes: 120 })
  expect(spanned('web-01')).toEqual({ target: 'web-01', minutes: undefined })
  const now = new Date(2026, 10, 26, 14, 30).getTime() // a Thursday
  const at = (...d: [number, number, number, number?, number?]) => new Date(...d).getTime()
  expect(momentOf('yesterday', now)).toBe(at(2026, 10, 25))
  expect(momentOf('Today', now)).toBe(at(2026, 10, 26))
  expect(momentOf('mon', now)).toBe(at(2026, 10, 23))
  expect(momentOf('thursday', now)).toBe(at(2026, 10, 19))
  expect(momentOf('2h ago', now)).toBe(at(2026, 10, 26, 12, 30))
  expect(momentOf('9:15', now)).toBe(at(2026, 10, 26, 9, 15))
  expect(momentOf('18:00', now)).toBe(at(2026, 10, 25, 18, 0))
  expect(momentOf('2026-11-01', now)).toBe(at(2026, 10, 1))
  expect(['2026-02-31', 'soon', '25:00', 'm', ''].map((t) => momentOf(t, now))).toEqual(Array(5).fill(undefined))
})

describe('ack', () => {
  test('offers all matching alerts, those of a group, and single ones', async () => {
    const plans = await planned('ack core', { alerts: ['core-1', 'core-1', 'core-2'], groups: ['Core'] })
    expect(textsOf(plans)).toEqual([
      'Acknowledge 3 alerts that match “core”',
      'Acknowledge 1 alert of group Core',
      'Acknowledge Critical core-1 loss',
      'Acknowledge Critical core-1 loss',
      'Acknowledge Critical core-2 loss',
    ])
    expect(plans[0].hint).toBe('core-1 and core-2 · add “: comment” to say why')
    expect(plans.map((p) => !!p.confirm)).toEqual([true, false, false, false, false])
    expect(new Set(plans.map((p) => p.id)).size).toBe(5)
    const [, query] = plans.at!.requests.find(([path]) => path === '/alert/alerts')!
    expect(query.filter).toBe('acked:false,_all~"core"')
  })

  test('reports how many it acknowledged, and undoes only those', async () => {
    const { app } = portal({ alerts: ['core-1', 'core-2'] })
    const sent: [string, string[]][] = []
    const create = (path: string, { alertIds }: { alertIds: string[] }) => {
      sent.push([path, alertIds])
      const results = alertIds.map((id) => ({ ok: id === 'DS1', error: { errorMessage: `${id} has cleared` } }))
      return Promise.resolve({ results })
    }
    const toasts = new Toasts()
    Object.assign(app, { toasts, client: { monitor: { create } } })
    Object.assign(app.live, { refresh: () => {} })
    const [all, first] = await verbs
      .find((v) => v.word === 'ack')!
      .plan(app, 'core: known', new AbortController().signal)
    await all.run!()
    expect(toasts.current).toMatchObject({ text: 'Acknowledged 1 alert', tone: 'warn' })
    expect(await toasts.current!.undo!()).toBe(true)
    expect(sent).toEqual([
      ['/alert/alerts/ack', ['DS0', 'DS1']],
      ['/alert/alerts/unack', ['DS1']],
    ])
    await first.run!()
    expect(toasts.current).toMatchObject({ text: 'Not acknowledged: DS0 has cleared', tone: 'error' })
  })

  test('reports what it did not find', async () => {
    const [none] = await planned('ack nothing here')
    expect([none.text, none.run]).toEqual(['No unacknowledged alerts match “nothing here”', undefined])
  })
})

describe('maintain', () => {
  test('shows the target, duration and end, and confirms for several objects', async () => {
    const plans = await planned('maintain web 2h: new disk', { devices: ['web-01', 'web-02'], groups: ['Web'] })
    expect(textsOf(plans)).toEqual([
      'Plan maintenance of web-01 for 2 hours',
      'Plan maintenance of web-02 for 2 hours',
      'Plan maintenance of group Web for 2 hours',
      'Plan maintenance of 2 devices that match “web” for 2 hours',
    ])
    expect(plans[0].hint).toMatch(/^until .*(16|4):30.* · “new disk”$/)
    expect(plans.map((p) => p.confirm)).toEqual([
      undefined,
      undefined,
      'Plan maintenance of all devices of group Web for 2 hours?',
      'Plan maintenance of 2 devices for 2 hours?',
    ])
  })

  test('defaults to an hour, and explains durations', async () => {
    const [plan] = await planned('maintain web-01', { devices: ['web-01'] })
    expect([plan.text, plan.hint]).toEqual([
      'Plan maintenance of web-01 for 1 hour',
      expect.stringContaining('add 30m, 2h, 1d or 1w'),
    ])
    const [none] = await planned('maintain web-01 1x')
    expect([none.text, none.run]).toEqual(['No device or group matches “web-01 1x”', undefined])
  })

  test('a locked portal refuses with the reason', async () => {
    const { app } = portal({ devices: ['web-01'] })
    app.portal.readOnly = true
    const verb = verbs.find((v) => v.word === 'maintain')!
    const [plan] = await verb.plan(app, 'web-01 1h', new AbortController().signal)
    expect(plan.why).toContain('Demo')
  })
})

describe('open', () => {
  test('opens the alerts of a group or a device since a time', async () => {
    const plans = await planned('open critical alerts of Network since yesterday', {
      groups: ['Network'],
      devices: ['network-1'],
    })
    expect(textsOf(plans)).toEqual(['Open Alerts of group Network', 'Open Alerts of network-1'])
    expect(plans[0].hint).toMatch(/^1 alert · only critical · since Wed/)
    for (const p of plans) p.run!()
    const since = String(new Date(2026, 10, 25).getTime() / 1000)
    expect(plans.at!.went).toEqual([
      ['alerts', '', { severity: '4', since, group: '1' }],
      ['alerts', '', { severity: '4', since, text: 'network-1' }],
    ])
  })

  test('opens devices and screens, and reports what it did not understand', async () => {
    const [device] = await planned('open devices of web-01', { devices: ['web-01'] })
    device.run!()
    expect(textsOf(await planned('open rep'))).toEqual(['Open Reports'])
    expect(textsOf(await planned('open nowhere'))).toEqual(['No screen matches “nowhere”'])
    expect(textsOf(await planned('open alerts since soon'))).toEqual(['“soon” is not a time'])
    expect(textsOf(await planned('open fleet since today'))).toEqual(['Only alerts have a severity and a time.'])
    expect(textsOf(await planned('open reports of Network'))).toEqual([
      'Reports cannot be narrowed to a group or a device',
    ])
  })
})

test('run finds a report by its name', async () => {
  expect(textsOf(await planned('run report weekly', { reports: ['Weekly alerts'] }))).toEqual([
    'Run report Weekly alerts',
  ])
  expect(textsOf(await planned('run weekly'))).toEqual(['No report matches “weekly”'])
})

describe('get', () => {
  test('creates the filter, and shows how many items match', async () => {
    const [plan] = await planned('GET devices filter dead', { devices: ['a', 'b'] })
    expect([plan.text, plan.method, plan.hint]).toEqual(['/device/devices?filter=hostStatus:"dead"', 'GET', '2 items'])
    expect(textsOf(await planned('get nonsense'))).toEqual(['No list matches “nonsense”'])
  })

  test('an expression is unchanged, and other words are a text search', () => {
    expect(filterOf(devices, 'displayName~"a b"')).toBe('displayName~"a b"')
    expect(filterOf(devices, 'Dead osl')).toBe('hostStatus:"dead",_all~"osl"')
    expect(filterOf({ ...devices, params: [] }, 'dead')).toBe('')
  })

  test('a missing permission is explained', async () => {
    const { app } = portal()
    app.session.user!.rights = []
    const verb = verbs.find((v) => v.word === 'get')!
    const [plan] = await verb.plan(app, 'devices', new AbortController().signal)
    expect(plan.why).not.toBe('')
  })
})
