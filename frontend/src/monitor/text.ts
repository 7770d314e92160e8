/** The text that the screens of the Monitor share. Each screen has its own text.ts. */
import { number } from '../ui/locale'
import type { Sort } from './honeycomb'

export const text = {
  title: 'Monitor',
  /** The settings of the portal, with more search words for each section. */
  sections: {
    users: { label: 'Users', words: 'accounts password suspend', add: 'Add user' },
    roles: { label: 'Roles', words: 'privileges rights permissions', add: 'Add role' },
    tokens: { label: 'API tokens', words: 'bearer lmv1 access key revoke', add: 'Add API token' },
    collectors: { label: 'Collectors', words: 'install agent backup down' },
    'collector-groups': { label: 'Collector groups', words: 'balance sites' },
    integrations: { label: 'Integrations', words: 'mail smtp web hook test', add: 'Add integration' },
    recipients: { label: 'Recipient groups', words: 'people addresses', add: 'Add recipient group' },
    chains: { label: 'Escalation chains', words: 'stages notify', add: 'Add escalation chain' },
    rules: { label: 'Alert rules', words: 'priority routing', add: 'Add alert rule' },
    deliveries: { label: 'Delivery log', words: 'notices sent failed dead letters retry' },
    portal: { label: 'Portal', words: 'name time zone limits retention rate' },
    signin: { label: 'Sign-in', words: 'openid connect oidc single sign-on sso provider groups' },
    'remote-write': { label: 'Remote write', words: 'prometheus samples database' },
    nodes: { label: 'Nodes', words: 'cluster machines processes leases database' },
    audit: { label: 'Audit log', words: 'access who changed what' },
  },
  sectionGroups: { people: 'People', collecting: 'Collecting', notifications: 'Notifications', portal: 'Portal' },

  elsewhere: 'The Monitor shows the built-in portal',
  elsewhereGoes: (portal: string) =>
    `Connected to ${portal}. Its devices and alerts are available in the API Explorer.`,
  elsewhereSignIn: (portal: string) => `Sign in to ${portal} to use its API in the API Explorer.`,
  signIn: 'Sign in…',
  openExplorer: 'Open API Explorer',
  notLoaded: (what: string) => `${what} could not be loaded`,
  newer: 'Spyglass may have been updated.',
  reload: 'Reload the page',

  counts: {
    title: 'Summary',
    of: (n: number, severity: string) => `${number(n)} ${severity.toLowerCase()}`,
    active: (n: number) => `${number(n)} active`,
    devices: (n: number) => `${number(n)} ${n === 1 ? 'device' : 'devices'}`,
  },
  live: {
    title: 'Live',
    states: { live: 'Live', paused: 'Paused', stale: 'Reconnecting…' },
    updated: (ago: string) => `Updated ${ago}`,
    goOn: 'Resume',
    pause: 'Pause',
  },
  explorer: 'Open in API Explorer',
  explorerOf: (what: string) => `: ${what}`,
  show: (name: string) => `Show ${name}`,
  waits: (seconds: number) => `Rate limit reached. Resuming in ${seconds} s.`,
  locked: (portal: string) => `${portal} is read-only. Unlock it to make changes.`,
  failed: (what: string, why: string) => `${what}: ${why}`,

  severities: { crit: 'Critical', error: 'Error', warn: 'Warning', ok: 'OK', unknown: 'No data yet' },
  cells: (n: number, sort: Sort) => `${number(n)} ${sort}`,

  units: { s: 's', min: 'min', h: 'h', d: 'd' },
  ago: (span: string) => `${span} ago`,
  justNow: 'just now',

  list: {
    selectAll: 'Select all',
    select: (name: string) => `Select ${name}`,
    actions: 'Actions',
    coming: 'Loading…',
    fresh: (rows: number) => `Show ${number(rows)} new`,
    edited: 'unsaved changes',
    editedHint: 'Unsaved changes',
  },
} as const
