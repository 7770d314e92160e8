/** Assigns shortcuts to commands: the default ones, and the user's own. */
import { sameKeys } from '../ui/keys'
import type { Command } from './command'
import type { KeptSettings } from './settings.svelte'

/** The commands, and the settings with the user's shortcuts. */
interface Keyboard {
  commands: { readonly list: readonly Command[] }
  settings: Pick<KeptSettings, 'values' | 'save'>
}

/** Keys by command; a missing command has its default ones, an empty list means none. */
export type OwnKeys = Record<string, string[]>

/** Returns the commands with the user's shortcuts; calls `own` each time. */
export function remappable(commands: readonly Command[], own: () => OwnKeys | undefined): Command[] {
  return commands.map((command) => ({
    ...command,
    declared: command.keys ?? [],
    get words() {
      return command.words
    },
    get keys() {
      return own()?.[command.id] ?? command.keys
    },
  }))
}

/** Returns the command that has these keys already. */
export function holder(commands: readonly Command[], keys: string, except: string): Command | undefined {
  return commands.find((c) => c.id !== except && c.keys?.some((k) => sameKeys(k, keys)))
}

/** Assigns keys to a command, and removes them from other commands. */
export function giveKeys(app: Keyboard, id: string, keys: string) {
  const own = { ...app.settings.values.keys }
  for (const c of app.commands.list) {
    if (c.id !== id && c.keys?.some((k) => sameKeys(k, keys))) own[c.id] = c.keys.filter((k) => !sameKeys(k, keys))
  }
  app.settings.save({ keys: { ...own, [id]: [keys] } })
}

/** Removes the keys of a command. */
export function takeKeys(app: Keyboard, id: string) {
  app.settings.save({ keys: { ...app.settings.values.keys, [id]: [] } })
}

/** Restores the default keys, and removes them from other commands. */
export function resetKeys(app: Keyboard, id: string) {
  const declared = app.commands.list.find((c) => c.id === id)?.declared ?? []
  const own = { ...app.settings.values.keys }
  delete own[id]
  for (const c of app.commands.list) {
    const lost = c.id !== id && c.keys?.some((k) => declared.some((d) => sameKeys(k, d)))
    if (lost) own[c.id] = c.keys!.filter((k) => !declared.some((d) => sameKeys(k, d)))
  }
  app.settings.save({ keys: own })
}

export function isRemapped(app: Keyboard, id: string): boolean {
  return app.settings.values.keys?.[id] !== undefined
}
