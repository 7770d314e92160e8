/** The text of the command palette. */
import { number } from '../ui/locale'

export const text = {
  palette: {
    commandPalette: 'Command palette',
    command: 'Command',
    typeACommand: 'Search commands, endpoints, devices…',
    esc: 'Esc',
    commands: 'Commands',
    of: (n: number, total: number) => `${number(n)} of ${number(total)}`,
    noResults: (words: string) => `No results for “${words}”`,
    choose: 'select',
    run: 'run',
    inNewTab: 'in new tab',
    monitorApi: 'Monitor / API',
    onlyCommands: 'commands',
    onlyEndpoints: 'endpoints',
    onlyTabs: 'tabs',
    onlyObjects: 'devices',
    recent: 'Recent',
    levels: { crit: 'Critical', error: 'Error', warn: 'Warning', ok: 'OK' },
  },
  verbs: {
    hints: 'Actions',
    does: 'Do',
    again: 'Press Enter again.',
  },
  commands: {
    currentView: 'current view',
  },
  docs: {
    of: (endpoint: string, more: number) => `${endpoint}${more ? ` and ${number(more)} more` : ''}`,
  },
  environments: {
    none: 'none',
    switchTo: (name: string) => `Environment: ${name}`,
  },
  portals: {
    switchTo: (name: string) => `Switch to ${name}`,
  },
  tabs: {
    untitledRequest: 'Untitled request',
    currentTab: 'current tab',
  },
  variables: {
    secret: 'secret',
  },
} as const
