/** Keys as text: `Mod+Shift+P` matches an event, and reads `Ctrl Shift P` or `⇧⌘P`. */
import type { Command } from './commands'

export const isMac = typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.platform)

interface Chord {
  ctrl: boolean
  meta: boolean
  shift: boolean
  alt: boolean
  key: string
}

/** `Mod+Shift++` ends in the key +. */
function split(text: string): string[] {
  return text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text.split('+')
}

function parse(text: string, mac: boolean): Chord {
  const parts = split(text)
  const has = (name: string) => parts.slice(0, -1).includes(name)
  return {
    ctrl: has('Control') || (has('Mod') && !mac),
    meta: has('Meta') || (has('Mod') && mac),
    shift: has('Shift'),
    alt: has('Alt'),
    key: parts[parts.length - 1].toLowerCase(),
  }
}

/** The letter on the key when the layout has one, else what the event says. */
function keyOf(e: KeyboardEvent): string {
  if (/^[a-z0-9/]$/i.test(e.key)) return e.key.toLowerCase()
  const letter = /^(?:Key|Digit)(.)$/.exec(e.code)
  return (letter?.[1] ?? e.key).toLowerCase()
}

export function matches(text: string, e: KeyboardEvent, mac = isMac): boolean {
  const want = parse(text, mac)
  return keyOf(e) === want.key && e.ctrlKey === want.ctrl && e.metaKey === want.meta && e.altKey === want.alt && e.shiftKey === want.shift
}

const symbols: Record<string, string> = { Mod: '⌘', Control: '⌃', Shift: '⇧', Alt: '⌥', Enter: '⏎', Escape: 'Esc' }

export function label(text: string, mac = isMac): string {
  const parts = split(text)
  if (mac) return parts.map((p) => symbols[p] ?? p).join('')
  return parts.map((p) => ({ Mod: 'Ctrl', Control: 'Ctrl', Enter: '⏎', Escape: 'Esc' })[p] ?? p).join(' ')
}

/** The key of a command, for showing; '' when it has none. */
export function keyLabel(command: Command | undefined): string {
  return command?.keys?.[0] ? label(command.keys[0]) : ''
}

/**
 * Runs the command an event stands for, before any field or editor sees the
 * event. Never while an input method composes. Escape waits until nobody else
 * wanted it. The answer stops listening.
 */
export function listenForKeys(target: Window, commands: Command[], also: (e: KeyboardEvent) => boolean): () => void {
  const run = (e: KeyboardEvent, escape: boolean) => {
    if (e.isComposing || e.defaultPrevented || (e.key === 'Escape') !== escape) return
    const command = commands.find((c) => c.keys?.some((k) => matches(k, e)) && (c.when?.() ?? true))
    if (document.querySelector('dialog[open], [aria-modal="true"]')) {
      if (command && !escape) e.preventDefault() // the browser's own meaning of the key is not wanted either
      return
    }
    if (!command && !also(e)) return
    e.preventDefault()
    e.stopPropagation()
    if (!e.repeat || command?.id.startsWith('tab.')) command?.run()
  }
  const early = (e: KeyboardEvent) => run(e, false)
  const late = (e: KeyboardEvent) => run(e, true)
  target.addEventListener('keydown', early, true)
  target.addEventListener('keydown', late)
  return () => {
    target.removeEventListener('keydown', early, true)
    target.removeEventListener('keydown', late)
  }
}
