import { expect, test } from 'vitest'
import { emptyDraft } from '../state/request/draft.svelte'
import { shownAt, whereSdt } from './shown'

const spot = (template: string, ...values: string[]) =>
  shownAt({
    noun: '',
    template,
    draft: { ...emptyDraft(), pathParams: values.map((value) => ({ on: true, key: 'id', value })) },
  })

test('objects with a Monitor screen are shown there', () => {
  expect(spot('/device/devices/{id}', '7')).toEqual({ screen: 'fleet', id: '7' })
  expect(spot('/device/groups/{id}', '7')).toEqual({ screen: 'fleet', filters: { group: '7' } })
  expect(spot('/alert/alerts/{id}', 'LMD7')).toEqual({ screen: 'alerts', id: 'LMD7' })
  expect(spot('/setting/datasources/{id}', '7')).toEqual({ screen: 'datasources', id: '7' })
  expect(spot('/report/reports/{id}', '7')).toEqual({ screen: 'reports', filters: { row: '7' } })
  expect(spot('/setting/collectors/{id}', '7')).toEqual({ screen: 'settings', id: 'collectors', filters: { row: '7' } })
  expect(spot('/device/devices/{deviceId}/devicedatasources/{id}', '7', '12')).toEqual({
    screen: 'fleet',
    id: '7',
    filters: { source: '12' },
  })
})

test('other objects are not', () => {
  expect(spot('/setting/functions/{id}', '7')).toBe(undefined)
  expect(spot('/device/devices/{deviceId}/devicedatasources/{id}', '{{device}}', '12')).toBe(undefined)
})

test('a maintenance window is shown with its target', async () => {
  const none = { deviceId: 0, deviceGroupId: 0, collectorId: 0 }
  const where = (sdt: object) =>
    whereSdt({ lookup: async <T>(path: string) => ({ '/sdt/sdts/R_12': { ...none, ...sdt } })[path] as T }, 'R_12')
  expect(await where({ deviceId: 7, collectorId: 0 })).toEqual({
    screen: 'fleet',
    id: '7',
    filters: { tab: 'history', sdt: 'R_12' },
  })
  expect(await where({ deviceGroupId: 3 })).toEqual({ screen: 'fleet', filters: { group: '3' } })
  expect(await where({ collectorId: 2 })).toEqual({ screen: 'settings', id: 'collectors', filters: { row: '2' } })
})
