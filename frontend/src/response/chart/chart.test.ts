import { expect, test } from 'vitest'
import type { Series } from '../../client/table'
import { limitsOf, lookUpMaintenance, placeOf } from './limits'
import { linesOf, shownAtFirst, summary, timeTicks } from './lines'

const line = (name: string, min: number | null, max: number | null, gaps = 0) => ({ name, values: [min, max], min, max, last: max, count: min === null ? 0 : 2, gaps })
const series = (...lines: ReturnType<typeof line>[]): Series => ({ title: 'Linux', unit: '%', sets: [{ name: '', time: [1, 2], lines }], thin: false, more: 0 })

test('limits are read from an alert expression', () => {
  expect(limitsOf('cpu', '> 60 80 90')).toEqual([
    { point: 'cpu', op: '>', value: 60, severity: 'warn' }, { point: 'cpu', op: '>', value: 80, severity: 'error' }, { point: 'cpu', op: '>', value: 90, severity: 'crit' },
  ])
  expect(limitsOf('free', '<= 1.5e3')).toEqual([{ point: 'free', op: '<=', value: 1500, severity: 'warn' }])
  expect(['', '= 1', '!= 2', '> x', '> 1 2 x', 'avg > 3'].flatMap((e) => limitsOf('a', e))).toEqual([])
})

test('the address of the data says whose it is', () => {
  expect(placeOf('http://127.0.0.1:8443/api/device/devices/10/devicedatasources/29/instances/71/data?period=1')).toEqual({ device: '10', source: '29', instance: '71' })
  expect(placeOf('/device/devices/10/devicedatasources/29/instances/71/graphs/9009/data')).toEqual({ device: '10', source: '29', instance: '71' })
  expect(placeOf('/device/devices/10/devicedatasources/29/instances/71/alertsettings')).toBe(undefined)
})

test('lines of one size are shown at first, beginning with one that has a limit', () => {
  const lines = linesOf(series(line('total', 134e6, 134e6), line('load', 0.5, 0.6), line('cpu', 9, 17), line('idle', 80, 90), line('none', null, null)))
  expect(shownAtFirst(lines, new Set(['cpu'])).map((k) => k.trim())).toEqual(['cpu', 'idle'])
  expect(shownAtFirst(lines, new Set()).map((k) => k.trim())).toEqual(['load'])
})

test('a chart is one sentence for who cannot see it', () => {
  expect(summary('Linux', linesOf(series(line('cpu', 9, 17, 1), line('none', null, null))), '%')).toBe('Linux. cpu: lowest 9 %, highest 17 %, last 17 %, 1 gap; none: no data')
})

test('a time axis names the day once', () => {
  const at = Date.UTC(2026, 10, 20, 12)
  const labels = timeTicks([at, at + 3_600_000], 3_600_000)
  expect(labels[0]).toMatch(/^\d\d:00\n\d+ Nov$/)
  expect(labels[1]).toMatch(/^\d\d:00$/)
})

test('maintenance is that of the instance, its data source, its device and the groups above, each window once', async () => {
  const window = (of: object) => ({ sdtType: 'oneTime', startDateTime: 0, endDateTime: 0, comment: '', deviceGroupId: 0, dataSourceId: 0, deviceDataSourceId: 0, dataSourceInstanceId: 0, ...of })
  const gone = (comment: string) => ({ approximateStartEpoch: 1, approximateEndEpoch: 2, comment })
  const answers: Record<string, unknown> = {
    '/device/devices/10/sdts': { items: [
      window({ type: 'ResourceSDT', startDateTime: 1500, endDateTime: 2500, comment: 'device' }),
      window({ type: 'ResourceGroupSDT', deviceGroupId: 8, sdtType: 'weekly', comment: 'every week' }),
      window({ type: 'ResourceGroupSDT', deviceGroupId: 9, dataSourceId: 4, startDateTime: 3000, endDateTime: 4000, comment: 'other source' }),
      window({ type: 'ResourceGroupSDT', deviceGroupId: 1, dataSourceId: 5, startDateTime: 3000, endDateTime: 4000, comment: 'this source' }),
      window({ type: 'DeviceDataSourceSDT', deviceDataSourceId: 30, startDateTime: 3000, endDateTime: 4000, comment: 'another part' }),
      window({ type: 'DeviceDataSourceInstanceSDT', dataSourceInstanceId: 71, startDateTime: 5000, endDateTime: 6000, comment: 'instance' }),
    ] },
    '/device/devices/10/devicedatasources/29': { dataSourceId: 5 },
    '/device/devices/10/historysdts': { items: [gone('device')] },
    '/device/devices/10/devicedatasources/29/historysdts': { items: [] },
    '/device/devices/10/devicedatasources/29/instances/71/historysdts': { items: [gone('before')] },
    '/device/groups/8/historysdts': { items: [gone('every week')] },
    '/device/groups/1/historysdts': { items: [] },
  }
  const door = { lookup: async <T>(path: string) => answers[path] as T }
  const found = await lookUpMaintenance(door, { device: '10', source: '29', instance: '71' }, new AbortController().signal)
  expect(found.map((w) => `${w.comment} ${w.from} ${w.to}`)).toEqual(['device 1500 2500', 'before 1000 2000', 'this source 3000 4000', 'instance 5000 6000', 'every week 1000 2000'])
})
