import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { decimalsOf, inputMoment, inputTime, localeOf, week, weekOf, weekdayMoment } from './locale'

test('the first day of the week follows the locale', () => {
  expect(weekOf('de-DE')).toEqual([1, 2, 3, 4, 5, 6, 0])
  expect(weekOf('en-US')).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(weekOf('ar-EG')).toEqual([6, 0, 1, 2, 3, 4, 5])
  expect([...week].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('date and time inputs use one format in all locales', () => {
  expect(inputMoment(new Date(2026, 0, 31, 7, 5, 9))).toBe('2026-01-31T07:05:09')
  expect(inputMoment(new Date('0099-06-01T00:00'))).toBe('0099-06-01T00:00:00')
  expect([inputTime(7, 5), inputTime(0, 480), inputTime(0, 1439)]).toEqual(['07:05', '08:00', '23:59'])
})

test('a number is accepted with the decimal separator of the locale, and always with a point', () => {
  const [german, english] = [decimalsOf('de-DE'), decimalsOf('en-US')]
  expect(['1,5', '1.5', '-0,25', '12', '1,2,3', '1.204,5', 'x'].map(german.read)).toEqual([
    '1.5',
    '1.5',
    '-0.25',
    '12',
    '1.2,3',
    '1.204,5',
    'x',
  ])
  expect(['1,5', '1.5', '1,204'].map(english.read)).toEqual(['1,5', '1.5', '1,204'])
  expect(['1.5', '1204', '', 'x.y'].map(german.write)).toEqual(['1,5', '1204', '', 'x.y'])
  expect(english.write('1204.5')).toBe('1204.5')
})

test('digits follow the language of the text, not the system', () => {
  const arabic = decimalsOf('ar-EG')
  expect([arabic.write('1.5'), arabic.read('1.5')]).toEqual(['1.5', '1.5'])
})

test('a system without a locale uses that of the text, with grouped digits', () => {
  expect(['en-US-u-va-posix', 'en-US-POSIX', 'C', 'c', 'de-DE', 'ca-ES'].map(localeOf)).toEqual([
    'en-US',
    'en-US',
    'en-US',
    'en-US',
    undefined,
    undefined,
  ])
})

test('an unknown time zone falls back to the local one', () => {
  const at = Date.UTC(2026, 0, 31, 12)
  expect(weekdayMoment(at, 'Asia/Kolkata')).toMatch(/0?5:30|17:30/)
  expect(weekdayMoment(at, 'Local')).toBe(weekdayMoment(at, Intl.DateTimeFormat().resolvedOptions().timeZone))
})

test('no view formats numbers or times itself', async () => {
  const folder = new URL('../', import.meta.url)
  const files = (await readdir(folder, { recursive: true })).filter(
    (f) => /\.(ts|svelte)$/.test(f) && !/^ui\/(locale|language)\.|\.gen\./.test(f),
  )
  const own = await Promise.all(
    files.map(async (f) =>
      /\.toLocale(Date|Time)?String\(|\bIntl\./.test(await readFile(new URL(f, folder), 'utf8')) ? [f] : [],
    ),
  )
  expect(own.flat()).toEqual([])
  expect(files.length).toBeGreaterThan(200)
})
