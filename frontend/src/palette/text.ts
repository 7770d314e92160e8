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
  },
  commands: {
    goTo: 'Go to',
    run: 'Run',
    currentView: 'current view',
  },
  docs: {
    docs: 'Docs',
    of: (endpoint: string, more: number) => `${endpoint}${more ? ` and ${number(more)} more` : ''}`,
  },
  endpoints: {
    endpoints: 'Endpoints',
  },
  history: {
    history: 'History',
  },
  objects: {
    devices: 'Devices',
    groups: 'Groups',
    alerts: 'Alerts',
    dataSources: 'DataSources',
    reports: 'Reports',
  },
  portals: {
    portals: 'Portals',
    switchTo: (name: string) => `Switch to ${name}`,
  },
  settings: {
    settings: 'Portal settings',
  },
  tabs: {
    tabs: 'Tabs',
    untitledRequest: 'Untitled request',
    currentTab: 'current tab',
  },
  variables: {
    variables: 'Variables',
    secret: 'secret',
  },
} as const
