import { expect, test, vi } from 'vitest'
import { byParent } from '../overview/behind'
import { deviceConditions, inGroups, pathsBelow } from '../overview/device-conditions'
import type { App } from '../../state/app.svelte'
import { Fault } from '../../client'
import { act, actable, apart, maintenance } from './acting'
import { called, instanceOf, measured, type Alert } from './alert'
import { conditionsOf } from './filtering'

const alert = (more: Partial<Alert>) =>
  ({
    id: '1',
    severity: 4,
    monitorObjectId: 7,
    monitorObjectName: 'core-sw-01',
    instanceId: 70,
    dataPointName: 'loss',
    dataPointUnit: '',
    instanceName: 'Ping',
    resourceTemplateName: 'Ping',
    alertValue: '95',
    threshold: '> 10 40 90',
    acked: false,
    cleared: false,
    ...more,
  }) as Alert
const none = { severity: '', acked: '', sdt: '', cleared: '', source: '', text: '', since: '' }

test('the filters of the screen become one API filter', () => {
  expect(conditionsOf(none)).toBe('')
  expect(conditionsOf({ ...none, severity: '4', acked: 'no', cleared: 'yes', since: '12', text: 'a "b"' })).toBe(
    'severity:4,acked:false,cleared:*,startEpoch>:12,_all~"a \\"b\\""',
  )
  expect(conditionsOf({ ...none, acked: 'yes', sdt: 'yes', source: 'Ping*' })).toBe(
    'acked:true,sdted:true,resourceTemplateName:"Ping\\*"',
  )
})

test('actions apply only to eligible alerts, and maintenance once per object', () => {
  const all = [
    alert({}),
    alert({ id: '2', acked: true }),
    alert({ id: '3', cleared: true }),
    alert({ id: '4', monitorObjectId: 0, instanceId: 0 }),
  ]
  expect((['ack', 'note', 'escalate', 'sdt'] as const).map((what) => actable(what, all).map((a) => a.id))).toEqual([
    ['1', '4'],
    ['1', '2', '3', '4'],
    ['1', '2', '4'],
    ['1', '2', '3'],
  ])
  expect(apart(all.slice(0, 3), true)).toHaveLength(1)
  expect(maintenance(all[0], { comment: 'x', minutes: 30, whole: true }, 1000)).toEqual({
    type: 'ResourceSDT',
    deviceId: 7,
    sdtType: 'oneTime',
    startDateTime: 1000,
    endDateTime: 1_801_000,
    comment: 'x',
  })
  expect(maintenance(all[0], { comment: '', minutes: 1, whole: false }, 0)).toMatchObject({
    type: 'DeviceDataSourceInstanceSDT',
    dataSourceInstanceId: 70,
  })
})

test('an alert is formatted', () => {
  expect(measured(alert({}))).toEqual({ value: 95, threshold: { op: '>', limit: 90 }, text: '95', against: '> 90' })
  expect(measured(alert({ dataPointUnit: '%' }))).toMatchObject({ text: '95 %', against: '> 90' })
  expect(measured(alert({ dataPointUnit: 'bit/s', alertValue: '1200000', threshold: '> 1000000' }))).toMatchObject({
    text: '1.2 Mbit/s',
    against: '> 1 Mbit/s',
  })
  expect(measured(alert({ alertValue: 'no data' }))).toBeUndefined()
  expect(measured(alert({ alertValue: '0', alertValueWord: 'closed', threshold: '< 1' }))).toBeUndefined() // a word
  expect([instanceOf(alert({})), instanceOf(alert({ instanceName: 'Ping-eth0' })), called(alert({}))]).toEqual([
    '',
    'eth0',
    'Critical core-sw-01 loss',
  ])
})

test('the devices of a cell are requested by group and sort order', () => {
  expect((['critical', 'not responding', 'without data', 'healthy'] as const).map(deviceConditions)).toEqual([
    'alertStatus~"-critical-"',
    'alertStatus:"none",hostStatus!:"normal"',
    'alertStatus:"none",hostStatus:"normal",lastDataTime:0',
    'alertStatus:"none",hostStatus:"normal",lastDataTime>0',
  ])
  expect([inGroups([2, 3]), pathsBelow('Sites/A*')]).toEqual(['hostGroupIds:"2"|"3"', 'fullPath:"Sites/A\\*/*"'])
})

test('devices that do not respond depend on the device in their properties', () => {
  const parent = (value: string) => [{ name: 'parent.device', value }]
  const devices = [
    { id: 1, displayName: 'core', customProperties: [], inheritedProperties: parent('core') },
    { id: 2, displayName: 'web', customProperties: [], inheritedProperties: parent('core') },
    { id: 3, displayName: 'db', customProperties: parent('rack'), inheritedProperties: parent('core') },
    { id: 4, displayName: 'lone', customProperties: [] },
  ]
  expect(Object.fromEntries(byParent(devices))).toEqual({
    core: [{ id: 2, displayName: 'web' }],
    rack: [{ id: 3, displayName: 'db' }],
  })
})

test('own changes are read at once, refused ones are not', async () => {
  const shown: string[] = []
  const app = (create: () => Promise<unknown>) =>
    ({
      portal: {},
      client: { monitor: { create } },
      toasts: { show: (text: string) => shown.push(text) },
      live: { refresh: () => shown.push('refresh') },
    }) as unknown as App
  const saying = { comment: 'mine', minutes: 30, whole: true }
  expect(
    await act(
      app(async () => ({ id: '1' })),
      'ack',
      [alert({})],
      saying,
    ),
  ).toBe(true)
  expect(
    await act(
      app(async () => {
        throw new Error('no')
      }),
      'ack',
      [alert({})],
      saying,
    ),
  ).toBe(false)
  expect(shown).toEqual([
    'refresh',
    'Acknowledged Critical core-sw-01 loss',
    expect.stringMatching(/^Acknowledge Critical core-sw-01 loss failed/),
  ])
})

test('actions over the rate limit are resumed later, and a message says so', async () => {
  vi.useFakeTimers()
  try {
    const shown: string[] = []
    let requests = 0
    const create = async () => {
      if (++requests === 2) throw new Fault('too many', 429, {}, false, 7)
      return { id: '1' }
    }
    const app = {
      portal: {},
      client: { monitor: { create } },
      toasts: { show: (text: string) => shown.push(text) },
      live: { refresh() {} },
    } as unknown as App
    const doing = act(app, 'ack', [alert({}), alert({ id: '2' })], { comment: 'mine', minutes: 30, whole: true })
    await vi.advanceTimersByTimeAsync(6999)
    expect(requests).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(await doing).toBe(true)
    expect([requests, shown]).toEqual([3, ['Rate limit reached. Resuming in 7 s.', 'Acknowledged 2 alerts']])
  } finally {
    vi.useRealTimers()
  }
})
