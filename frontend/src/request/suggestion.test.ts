import { expect, test } from 'vitest'
import { corrected, suggestionOf } from './suggestion'

test('a message suggests a correction of the quoted value', () => {
  const found = suggestionOf('filter: no field "hostStat" at 3; did you mean hostStatus?')!
  expect(found).toEqual({
    before: 'filter: no field "hostStat" at 3; did you mean ',
    wrong: 'hostStat',
    at: 3,
    fix: 'hostStatus',
  })
  expect(corrected('a:1,hostStat:dead', { ...found, at: 4 })).toBe('a:1,hostStatus:dead')
  expect(corrected('hostStat:1,hostStat:2', { ...found, at: 11 })).toBe('hostStat:1,hostStatus:2')
  expect(corrected('😀hostStat:1', { ...found, at: 1 })).toBe('😀hostStatus:1') // positions count characters
  expect(corrected('{{v}},hostStat:1', { ...found, at: 2 })).toBe('{{v}},hostStatus:1') // it moved before sending
  expect(corrected('id:1', found)).toBe('id:1')
})

test('without a quoted word the whole value is corrected', () => {
  const found = suggestionOf('aggregate is max or min; did you mean max?')!
  expect(corrected('mx', found)).toBe('max')
})

test('other messages suggest no correction', () => {
  expect(suggestionOf('size must be a number')).toBeUndefined()
  expect(suggestionOf('did you mean it? Yes')).toBeUndefined()
})
