import { expect, test } from 'vitest'
import { timeOfDay } from '../../ui/locale'
import { linesOf, summary, withLevel, type Privilege } from './privileges'
import { swap } from './priority'
import { minutesOf, periodText, recipientText } from './stages'

const on = (objectType: string, objectId: string, operation: string): Privilege => ({ objectType, objectId, operation })

test('privileges are rows of a matrix, including those granted to all', () => {
  const lines = linesOf([
    on('deviceGroup', '*', 'read'),
    on('deviceGroup', '7', 'ack'),
    on('report', '*', 'ack'),
    on('setting', 'portal', 'write'),
  ])
  expect(lines.slice(0, 3)).toEqual([
    { type: 'deviceGroup', id: '*', level: 'read', from: 'none' },
    { type: 'deviceGroup', id: '7', level: 'ack', from: 'read' },
    { type: 'report', id: '*', level: 'read', from: 'none' }, // reports cannot be acknowledged
  ])
  expect(lines.find((l) => l.id === 'portal')).toEqual({ type: 'setting', id: 'portal', level: 'write', from: 'none' })
})

test('changing one row keeps the other privileges', () => {
  const before = [{ ...on('deviceGroup', '7', 'read'), objectName: 'Oslo' }, on('report', '*', 'read')]
  expect(withLevel(before, 'deviceGroup', '7', 'write')).toEqual([
    { ...on('deviceGroup', '7', 'write'), objectName: 'Oslo' },
    on('report', '*', 'read'),
  ])
  expect(withLevel(before, 'deviceGroup', '7', 'none')).toEqual([on('report', '*', 'read')])
  expect(withLevel(before, 'setting', 'audit', 'read')).toEqual([...before, on('setting', 'audit', 'read')])
})

test('a role is summarized in one line', () => {
  expect(summary([])).toBe('Nothing')
  expect(summary([on('deviceGroup', '*', 'write'), on('setting', 'portal', 'read')])).toBe(
    'Edit all devices, view 1 settings area',
  )
  expect(summary([on('deviceGroup', '3', 'ack'), on('deviceGroup', '4', 'read')])).toBe(
    'View and acknowledge 2 groups of devices',
  )
})

test('two rules are swapped through a free priority, and an error restores the first', async () => {
  const calls: string[] = []
  const rest = (fails: string) =>
    ({
      write: async (_: string, path: string, body: { priority: number }) => {
        calls.push(`${path} ${body.priority}`)
        if (path.endsWith(fails)) throw new Error('no')
      },
    }) as never
  await swap(rest('-'), { id: 1, priority: 10 }, { id: 2, priority: 20 })
  await expect(swap(rest('/2'), { id: 1, priority: 10 }, { id: 2, priority: 20 })).rejects.toThrow('no')
  const at = '/setting/alert/rules/'
  expect(calls).toEqual([`${at}1 2147483647`, `${at}2 10`, `${at}1 20`, `${at}1 2147483647`, `${at}2 10`, `${at}1 10`])
})

test('recipients and periods are shown in words', () => {
  expect([
    recipientText({ type: 'ADMIN', method: 'email', addr: 'admin' }),
    recipientText({ type: 'group', addr: 'Night' }),
  ]).toEqual(['admin by email', 'Night'])
  expect(periodText({ weekDays: [2, 3, 4, 5, 6], timezone: 'Europe/Oslo', startMinutes: 420, endMinutes: 1140 })).toBe(
    `Mon–Fri ${timeOfDay(7, 0)}–${timeOfDay(19, 0)}`,
  )
  expect([minutesOf('08:30'), minutesOf('00:00'), minutesOf('00:00', true)]).toEqual([510, 0, 1440])
})

test('sending to other portals is a separate permission without levels', () => {
  expect(linesOf([on('setting', '*', 'write')]).find((l) => l.type === 'explorer')).toEqual({
    type: 'explorer',
    id: '*',
    level: 'none',
    from: 'none',
  })
  expect(summary([on('explorer', '*', 'write')])).toBe('Send requests to other portals')
})
