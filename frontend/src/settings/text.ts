/** The text of the settings of the page, all in one place. */
import { number } from '../ui/locale'

export const text = {
  title: 'Settings', close: 'Close', kept: 'Kept with your workspace on this computer.', done: 'Done', reset: (section: string) => `Reset ${section.toLowerCase()}`, all: 'All settings', asMade: (what: string) => `${what}: as it was made`, undo: 'Undo',
  sections: { appearance: 'Appearance', keys: 'Keys', requests: 'Requests', notices: 'Notifications', data: 'Data', about: 'About' },
  shortcuts: { title: 'Keyboard shortcuts', search: 'Search shortcuts', searchHint: 'Search', change: 'Change keys', print: 'Print', close: 'Close', all: 'Shortcuts', none: (words: string) => `No shortcut matches “${words}”.` },
  groups: { Request: 'Request', Tabs: 'Tabs', View: 'View', Session: 'Session' },
  onOff: { on: 'On', off: 'Off' },

  appearance: {
    theme: 'Theme', themes: { system: 'Like the system', dark: 'Dark', light: 'Light' }, density: 'Density', densityHint: 'How much stands on a page', densities: { compact: 'Compact', normal: 'Normal', roomy: 'Roomy' },
    fontSize: 'Font size', fontSizes: { normal: 'Normal', large: 'Large', larger: 'Larger' }, zoom: 'Zoom', zoomKeys: (more: string, less: string, none: string) => `${more}, ${less}, ${none}`, percent: (n: number) => `${number(n)} %`,
    browser: (keys: string) => `Zoom is the browser's own here: ${keys}.`,
  },

  keys: {
    search: 'Search commands', searchHint: 'Search commands or keys', list: 'Commands and their keys', press: 'Press the new keys', pressFor: (command: string) => `New keys for ${command}: press them, Escape leaves it`,
    taken: (keys: string, command: string) => `${keys} is “${command}”.`, use: 'Use it here instead', cancel: 'Cancel', none: 'none', reset: 'Reset', resetOf: (command: string) => `Reset keys of ${command}`,
    remove: 'Remove', removeOf: (command: string) => `Remove keys of ${command}`, change: 'Change', changeOf: (command: string) => `Change keys of ${command}`, noCommand: 'No command is called that.',
  },

  requests: {
    timeout: 'Time to wait for an answer', timeoutHint: 'Where a request does not say', seconds: 'seconds', review: 'Review writes', reviewHint: 'Show what PUT and PATCH would change before they are sent',
    wrap: 'Wrap long lines', wrapHint: "In a response's plain text", history: 'History', historyHint: 'Older requests are let go, pinned ones stay', requests: 'requests',
    whole: (least: number, most: number) => `A whole number from ${number(least)} to ${number(most)}`,
  },

  notices: {
    critical: 'New critical alerts', criticalHint: 'Told by the desktop while the window is open', tray: 'Tray icon', trayHint: 'Tells how many critical and error alerts are open; from the next start of the window',
    window: 'Not those that maintenance covers or that somebody has acknowledged. A click on one opens the alert.', browser: 'Only the desktop window tells them; this page runs in a browser.',
  },

  data: {
    folder: 'Data folder', openFolder: 'Open folder', copyPath: 'Copy path', path: 'the path',
    backUp: 'Back up', backUpHint: 'One file with the portal, its samples and reports, and your tabs. Passwords in it stay sealed: the key to them, portal.db.key, is not in the file.', doBackUp: 'Back up…',
    restore: 'Restore', restoreHint: 'Puts a backup in the place of everything here, at the next start. What is here now is kept.', file: 'Backup to restore', doRestore: 'Restore…', ask: 'Restore this backup?',
    found: (made: string, version: string, size: string) => ` was made on ${made} by Spyglass ${version} and holds ${size}. Devices, samples, users, passwords, tokens and tabs become those of that moment.`,
    otherKey: "Its passwords and access keys were sealed with another key and have to be given again. To keep them, put that portal's portal.db.key into the data folder first.",
    cancel: 'Cancel', atNextStart: 'Restore at the next start', waits: 'A restore waits for the next start. Until then everything is as it was.', stop: 'Stop Spyglass and start it again to finish it.', doNot: 'Do not restore', restart: 'Restart now',
    kept: (when: string, size: string) => `What the restore of ${when} replaced is kept: ${size}.`, delete: 'Delete it', undo: 'Undo the restore',
    progress: 'Progress', doing: { copying: 'Copying', packing: 'Packing', sending: 'Reading', checking: 'Checking', unpacking: 'Unpacking' }, doingTo: (doing: string, file: string) => `${doing} ${file}`,
    so: (what: string, done: string, all: string) => `${what}: ${done}${all && ` of ${all}`}`,
    diagnostics: 'Diagnostics', diagnosticsHint: 'A .zip for whoever helps you: versions, settings of the page, counts of rows, sizes, and the last log lines, which name devices. No passwords, tokens, variables, requests or answers.', saveDiagnostics: 'Save diagnostics…',
    onlyAdmin: 'Only an administrator can back up, restore, and save diagnostics.', reset: 'Reset', resetHint: 'Appearance, keys, requests and the sizes of panes become as they were made.', resetAll: 'Reset all settings',
    forget: 'Delete what the restore replaced?', forgetGoes: 'The restore can then no longer be undone.', keepIt: 'Keep it',
  },

  about: {
    name: (version: string) => `Spyglass ${version}`, says: 'A monitoring portal with an API explorer.', copy: 'Copy', program: 'what this program is', fact: (name: string, value: string) => `${name}: ${value}`,
    facts: { version: 'Version', built: 'Built', go: 'Go', system: 'System', folder: 'Data folder' }, builtFrom: (day: string, revision: string) => `${day}, ${revision}`,
    licences: 'Licences', search: 'Search licences', searchHint: (n: number) => `Search ${number(n)} parts by name or licence`, none: 'No part is called that.', absent: 'This build does not carry the licences of its parts; the packages do.',
  },
} as const
