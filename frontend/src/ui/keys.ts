/** Shortcuts as text: `Mod+Shift+P` matches an event, and is shown as `Ctrl Shift P` or `⌘⇧P`. */

/** The keys of a command. */
export interface KeyCommand {
  id: string
  /** The first one is shown. `Mod` is Ctrl, Cmd on macOS. */
  keys?: readonly string[]
  run(): void
  /** False hides it and ignores its keys. */
  when?(): boolean
}

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

/** Returns the letter on the key if the layout has one, or else the key of the event. */
function keyOf(e: KeyboardEvent): string {
  if (e.key === ' ') return 'space'
  if (/^[a-z0-9/]$/i.test(e.key)) return e.key.toLowerCase()
  const letter = /^(?:Key|Digit)(.)$/.exec(e.code)
  return (letter?.[1] ?? e.key).toLowerCase()
}

/** A character that some layouts have above another: Shift is part of typing it. */
const sign = /^[^\p{L}\p{N}]$/u

export function matches(text: string, e: KeyboardEvent, mac = isMac): boolean {
  const want = parse(text, mac)
  const shift = e.shiftKey === want.shift || (!want.shift && sign.test(want.key) && e.key === want.key)
  return (
    (keyOf(e) === want.key || (sign.test(want.key) && e.key === want.key)) &&
    e.ctrlKey === want.ctrl &&
    e.metaKey === want.meta &&
    e.altKey === want.alt &&
    shift
  )
}

/**
 * Whether two texts are the same keys on this platform: `Mod+K` is `Control+K` unless there is a
 * Cmd key.
 */
export function sameKeys(a: string, b: string, mac = isMac): boolean {
  return JSON.stringify(parse(a, mac)) === JSON.stringify(parse(b, mac))
}

/** Whether the key is a modifier. */
export const isModifier = (key: string): boolean => ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'].includes(key)

/** Returns the text for the pressed keys; undefined while only modifiers are pressed. */
export function pressed(e: KeyboardEvent, mac = isMac): string | undefined {
  if (isModifier(e.key) || ['Dead', 'Process'].includes(e.key)) return undefined
  const key = keyOf(e)
  const held = [
    (mac ? e.metaKey : e.ctrlKey) && 'Mod',
    mac && e.ctrlKey && 'Control',
    !mac && e.metaKey && 'Meta',
    e.altKey && 'Alt',
    e.shiftKey && 'Shift',
  ].filter((h): h is string => typeof h === 'string')
  return [...held, key.length === 1 ? key.toUpperCase() : key === 'space' ? 'Space' : e.key].join('+')
}

const editing = ['Mod+A', 'Mod+C', 'Mod+V', 'Mod+X', 'Mod+Z', 'Mod+Shift+Z']

/** Returns why keys cannot be a shortcut, as a sentence; '' if they can. */
export function refusal(text: string, mac = isMac): string {
  const { ctrl, meta, alt, key } = parse(text, mac)
  if ((mac ? editing : [...editing, 'Mod+Y']).some((k) => sameKeys(k, text, mac)))
    return `${label(text, mac)} belongs to editing text. Choose other keys.`
  if (!ctrl && !meta && !alt && !/^f\d{1,2}$/.test(key))
    return `${label(text, mac)} alone would be in the way of typing. Hold ${mac ? '⌘' : 'Ctrl'} or ${mac ? '⌥' : 'Alt'} too.`
  return ''
}

const arrows = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' }
const symbols: Record<string, string> = {
  Mod: '⌘',
  Meta: '⌘',
  Control: '⌃',
  Shift: '⇧',
  Alt: '⌥',
  Enter: '⏎',
  Escape: 'Esc',
  ...arrows,
}
const words: Record<string, string> = {
  Mod: 'Ctrl',
  Control: 'Ctrl',
  Meta: 'Win',
  Enter: '⏎',
  Escape: 'Esc',
  ...arrows,
}

export function label(text: string, mac = isMac): string {
  const parts = split(text)
  if (mac) return parts.map((p) => symbols[p] ?? p).join('')
  return parts.map((p) => words[p] ?? p).join(' ')
}

/** Returns the shortcut of a command for display; '' if it has none. */
export function keyLabel(command: Pick<KeyCommand, 'keys'> | undefined): string {
  return command?.keys?.[0] ? label(command.keys[0]) : ''
}

/**
 * Runs the command for a key event, before fields and editors receive the event, but not while an input method
 * composes. Escape runs only if no other handler used it. Returns a function that stops listening.
 */
export function listenForKeys(target: Window, commands: readonly KeyCommand[]): () => void {
  const run = (e: KeyboardEvent, escape: boolean) => {
    // 229 is the code of a key that an input method handles, also in browsers that set isComposing too late.
    if (e.isComposing || e.keyCode === 229 || e.defaultPrevented || (e.key === 'Escape') !== escape) return
    const command = commands.find((c) => c.keys?.some((k) => matches(k, e)) && (c.when?.() ?? true))
    if (document.querySelector('dialog[open], [aria-modal="true"]')) {
      if (command && !escape) e.preventDefault() // prevents the browser's own action for the key
      return
    }
    if (!command) return
    e.preventDefault()
    e.stopPropagation()
    if (!e.repeat || command.id.startsWith('tab.')) command.run()
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

/** Runs the command that is chosen in the menu bar of macOS. Returns a function that stops listening. */
export function listenForMenu(target: EventTarget, commands: readonly KeyCommand[]): () => void {
  const run = (e: Event) => {
    const command = commands.find((c) => c.id === (e as CustomEvent<string>).detail)
    if (command && (command.when?.() ?? true)) command.run()
  }
  target.addEventListener('menucommand', run)
  return () => target.removeEventListener('menucommand', run)
}
