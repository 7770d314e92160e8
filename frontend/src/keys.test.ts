import { expect, test } from 'vitest'
import { label, matches } from './keys'

function press(key: string, held: Partial<KeyboardEvent> = {}): KeyboardEvent {
  return { key, code: '', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held } as KeyboardEvent
}

test.each([
  ['Mod+K', press('k', { ctrlKey: true }), true],
  ['Mod+K', press('K', { ctrlKey: true, shiftKey: true }), false],
  ['Mod+Shift+P', press('P', { ctrlKey: true, shiftKey: true }), true],
  ['Mod+Alt+B', press('∫', { ctrlKey: true, altKey: true, code: 'KeyB' }), true],
  ['F5', press('F5'), true],
  ['Control+Tab', press('Tab', { ctrlKey: true }), true],
  ['Mod+Enter', press('Enter'), false],
])('%s and the pressed key %#', (text, e, expected) => {
  expect(matches(text, e, false)).toBe(expected)
})

test('on macOS Mod is Cmd, and Ctrl+Tab stays Ctrl', () => {
  expect(matches('Mod+K', press('k', { metaKey: true }), true)).toBe(true)
  expect(matches('Mod+K', press('k', { ctrlKey: true }), true)).toBe(false)
  expect(matches('Control+Tab', press('Tab', { ctrlKey: true }), true)).toBe(true)
})

test('keys read in the platform\'s own way', () => {
  expect(label('Mod+Shift+P', false)).toBe('Ctrl Shift P')
  expect(label('Mod+Shift+P', true)).toBe('⌘⇧P')
})
