import { expect, test, vi } from 'vitest'
import { label, listenForMenu, matches, pressed, refusal, sameKeys } from './keys'

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

test("keys read in the platform's own way", () => {
  expect(label('Mod+Shift+P', false)).toBe('Ctrl Shift P')
  expect(label('Mod+Shift+P', true)).toBe('⌘⇧P')
})

test.each([
  ['Ctrl+K', press('k', { ctrlKey: true }), 'Mod+K'],
  ['Ctrl+Shift+P', press('P', { ctrlKey: true, shiftKey: true }), 'Mod+Shift+P'],
  ['Ctrl++', press('+', { ctrlKey: true }), 'Mod++'],
  ['F9', press('F9'), 'F9'],
  ['Alt+ArrowUp', press('ArrowUp', { altKey: true }), 'Alt+ArrowUp'],
  ['Ctrl and space', press(' ', { ctrlKey: true }), 'Mod+Space'],
  ['Shift alone', press('Shift', { shiftKey: true }), undefined],
])('%s pressed is a text that matches it', (_, e, text) => {
  expect(pressed(e, false)).toBe(text)
  if (text) expect(matches(text, e, false)).toBe(true)
})

test('a character that needs Shift on some layouts is matched', () => {
  expect(matches('Mod+/', press('/', { ctrlKey: true, shiftKey: true, code: 'Digit7' }), false)).toBe(true)
  expect(matches('Mod+,', press(';', { ctrlKey: true, shiftKey: true, code: 'Comma' }), false)).toBe(false)
})

test.each([
  ['Mod+C', 'Ctrl C belongs to editing text. Choose other keys.'],
  ['X', 'X alone would be in the way of typing. Hold Ctrl or Alt too.'],
  ['Shift+A', 'Shift A alone would be in the way of typing. Hold Ctrl or Alt too.'],
  ['F8', ''],
  ['Mod+Shift+K', ''],
])('%s as a key of one\'s own: "%s"', (keys, why) => {
  expect(refusal(keys, false)).toBe(why)
})

test('without Cmd, Mod and Control are the same key', () => {
  expect(sameKeys('Mod+K', 'Control+K', false)).toBe(true)
  expect(sameKeys('Mod+K', 'Control+K', true)).toBe(false)
})

test('an item of the menu bar runs its command while the command is available', () => {
  const bar = new EventTarget()
  const run = vi.fn()
  let available = false
  const stop = listenForMenu(bar, [{ id: 'tab.close', run, when: () => available }])
  const choose = () => bar.dispatchEvent(new CustomEvent('menucommand', { detail: 'tab.close' }))
  choose()
  expect(run).not.toHaveBeenCalled()
  available = true
  choose()
  bar.dispatchEvent(new CustomEvent('menucommand', { detail: 'unknown' }))
  expect(run).toHaveBeenCalledTimes(1)
  stop()
  choose()
  expect(run).toHaveBeenCalledTimes(1)
})
