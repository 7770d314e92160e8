/**
 * The only door to Go: what the page may ask, and the shapes that come back.
 * Every call rejects with a Fault; a cancelled call rejects with a Fault whose `cancelled` is true.
 */
import type { AskClient, Extracted } from './ask'
import type { components, paths } from '../api.gen' // from the portal's OpenAPI; never edited
import type { BatchProgress, CollectionsClient } from './collections'
import type { CatalogData } from './catalog'
import type { DataClient, DataProgress } from './data'
import type { DocRow, DocumentClient } from './document'
import type { LookupClient } from './lookup'
import type { MonitorClient } from './monitor'
import type { Portal, PortalsClient } from './portals'
import type { PastClient } from './past'
import type { RestClient } from './rest'
import type { TableClient } from './table'
import { text } from './text'
import type { Settings } from './settings'
import type { Hop, PagesProgress, PortalError, RunReport, SendingClient } from './sending'

export type * from './catalog'
export type { DocRow, Found, Rows } from './document'
export type { PagesProgress } from './sending'
export type * from './settings'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** Methods whose request carries a JSON body. */
export function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

export type { Portal } from './portals'

export interface User {
  id: number
  name: string
  role: string
  /** What endpoints of the built-in portal ask for and the user holds, in the catalog's words. */
  rights?: string[]
  csrfToken: string
}

export interface Start {
  /** The one whose tabs and variables these are. */
  portal: Portal
  portals: Portal[]
  version: string
  dataFolder: string
  /** False where no keyring answers: secrets last until the program ends. */
  keyring: boolean
  notice: string | null
  desktop: boolean
  /** The window has an icon in the desktop's tray. */
  tray: boolean
  user: User
  settings: Settings
  tabs: Tab[]
  variables: Variable[]
}

export type Session = components['schemas']['Whoami']

/** Paths of the portal whose GET answers a list with its total. */
export type ListPath = {
  [P in keyof paths]: paths[P] extends { get: { responses: { 200: { content: { 'application/json': { total: number } } } } } } ? P : never
}[keyof paths]

export interface Row {
  on: boolean
  key: string
  value: string
  doc?: string
}

/** A draft as it is kept and sent; the class Draft edits one. */
export interface DraftData {
  method: Method
  /** As typed: may hold {id}, {{variable}} or 42. */
  path: string
  /** The catalog template the path belongs to, or ''. */
  template: string
  pathParams: Row[]
  query: Row[]
  headers: Row[]
  /** The JSON text, exactly. */
  body: string
  mode: 'form' | 'raw'
  /** Seconds to wait for the answer; absent or 0 is the portal's own. */
  timeout?: number
}

export interface Tab {
  id: number
  position: number
  /** '' follows method and path. */
  name: string
  pinned: boolean
  draft: DraftData
  /** What "changed" is measured against. */
  saved: DraftData | null
  /** Its last answer, 0 when there is none. */
  historyId: number
  view: Record<string, unknown>
  /** The saved request it was opened from, 0 for none. */
  requestId?: number
  /** Grows with each change of name, draft or saved request. */
  version?: number
  /** When it was closed, 0 while it is open. */
  closed?: number
}

export interface Variable {
  id: number
  name: string
  value: string
  secret: boolean
  scope: 'portal' | 'global'
  /** Epoch milliseconds; 0 for one of an earlier version. */
  changedOn?: number
}

export interface History {
  id: number
  /** Milliseconds since the epoch. */
  at: number
  method: Method
  /** As typed, variables unresolved. */
  path: string
  /** As sent, secrets masked. */
  url: string
  /** 0 when no answer came. */
  status: number
  statusText: string
  ms: number
  bytes: number
  error: string
  draft: DraftData
  /** Whether the answer's body can still be opened. */
  kept: boolean
}

export interface Quota {
  limit: number
  remaining: number
  /** Seconds. */
  window: number
}

export interface Reply {
  status: number
  statusText: string
  headers: [string, string][]
  ms: number
  bytes: number
  /** Items of a list, null when the body is none. */
  items: number | null
  total: number | null
  /** The document's id, for rows, lines, find and raw. */
  document: string
  json: boolean
  /** Why the body is no JSON, or ''. */
  problem: string
  /** How its bytes became text, one sentence; '' for UTF-8. */
  reading?: string
  /** The body is no text; `hex` shows its beginning. */
  binary: boolean
  /** The first 200. */
  rows: DocRow[]
  rowCount: number
  lineCount: number
  historyId: number
  /** Why the request is missing from the history, in a sentence. */
  notKept?: string
  url: string
  quota: Quota | null
  /** What extractors found in it. */
  extracted?: Extracted[]
  timing: { connect: number; firstByte: number; download: number }
  /** Of a run through all pages. */
  run?: RunReport | null
  /** Redirects that were followed, in their order. */
  hops?: Hop[]
  /** What undoing this write would do, in one sentence; '' when it cannot be undone. */
  undo?: string
  /** What the portal says is wrong, where its status is 400 or more. */
  error?: PortalError | null
}

export interface SendRequest {
  sendId: string
  tabId: number
  draft: DraftData
  /** Send although a variable is unknown. */
  anyway: boolean
}

export interface PreviewVariable {
  name: string
  value: string
  scope: string
  known: boolean
  secret: boolean
}

export interface Preview {
  method: Method
  url: string
  headers: [string, string][]
  body: string
  variables: PreviewVariable[]
}

export type TokenClass = 'keyword' | 'string' | 'number' | 'comment' | 'name' | 'operator' | 'punctuation' | 'text'

export interface Token {
  class: TokenClass
  text: string
}

export interface Snippet {
  languages: { id: string; label: string; extension: string }[]
  text: string
  lines: Token[][]
}

export interface Listing<T> {
  total: number
  searchId: null
  items: T[]
  data: null
}

export interface ListQuery {
  size?: number
  offset?: number
  filter?: string
  sort?: string
  fields?: string
}

/** One kind of thing kept for the user: tabs, variables, history. */
export interface Collection<T extends { id: number }> {
  list(query?: ListQuery): Promise<Listing<T>>
  get(id: number): Promise<T>
  create(value: Omit<T, 'id'>): Promise<T>
  update(id: number, change: Partial<T>): Promise<T>
  remove(id: number): Promise<void>
}

/** How many a rename changed. */
export interface Followed {
  requests: number
  extractors: number
}

/** Where a variable is used beyond the open tabs. */
export interface VariableUse {
  name: string
  /** The first 20 saved requests. */
  requests: { id: number; name: string }[]
  count: number
  /** How many extractors keep what they find in it. */
  extractors: number
  /** Epoch milliseconds; 0 for not in the last seven days, or not asked. */
  sentAt: number
}

/** What a spyglass:// link leads to: a screen, a request, or nothing and why. */
export interface Link {
  screen?: string
  id?: string
  call?: { method: Method; path: string; query: { key: string; value: string }[] }
  problem?: string
}

export interface Listener {
  progress?(e: { sendId: string; received: number; expected: number }): void
  pages?(e: PagesProgress): void
  batch?(e: BatchProgress): void
  workspace?(e: { kind: 'portals' | 'tabs' | 'collections' | 'variables' | 'history' | 'settings' | 'extractors' }): void
  /** A write of the history was taken back, here or in another window. */
  undone?(e: { historyId: number }): void
  session?(): void
  /** Something of a kind has changed in the portal: the name of its resource. */
  portal?(e: { kind: string }): void
  /** A spyglass:// link was opened outside of the page. */
  link?(e: Link): void
  /** How far a backup or a restore is. */
  data?(e: DataProgress): void
  /** The stream itself came or went; it comes back by itself. */
  stream?(connected: boolean): void
}

export interface Client extends AskClient, CollectionsClient, LookupClient, PastClient, SendingClient, TableClient, PortalsClient, RestClient, DocumentClient, DataClient {
  /** The same for a portal: its tabs, variables and history, and requests that go to it. */
  at(portal: number): Client
  /** Null when nobody is signed in. */
  start(): Promise<Start | null>
  signIn(username: string, password: string): Promise<Session>
  signOut(): Promise<void>
  /** Ends every other session of the user. */
  changePassword(password: string, newPassword: string): Promise<void>
  /** Null forgets a setting. */
  saveSettings(change: { [K in keyof Settings]?: Settings[K] | null }): Promise<Settings>
  catalog(): Promise<CatalogData>

  /** The portal's own API. */
  monitor: MonitorClient
  tabs: Collection<Tab>
  /** A deleted one can be restored for two minutes, its secret with it. */
  variables: Collection<Variable> & {
    restore(id: number): Promise<void>
    /** Saved requests and extractors use the variable's present name in place of the former one. */
    follow(id: number, from: string): Promise<Followed>
    /** Takes that back, where nobody changed it since. */
    unfollow(id: number): Promise<Followed>
    /** Ids of secret ones whose values are gone: there was no keyring to keep them. */
    missing(): Promise<number[]>
    /** Of those that saved requests use; with `sent`, also when each went out last. */
    uses(sent: boolean): Promise<{ items: VariableUse[] }>
  }
  history: Collection<History> & { clear(): Promise<void>; reply(id: number): Promise<Reply> }

  send(request: SendRequest, signal: AbortSignal): Promise<Reply>
  preview(draft: DraftData): Promise<Preview>
  snippet(draft: DraftData, language: string): Promise<Snippet>

  /** Items in the portal's list at path, counted by asking for one. */
  count(path: ListPath): Promise<number>
  /** Opens http and https links outside the page. */
  openLink(url: string): void
  /** Fills the screen with the window, or goes back. */
  toggleFullScreen(): Promise<void>
  /** Closes the window, and with it the program. */
  quit(): Promise<void>
  /** Asks in the window where a file goes and writes it there: a text, or what a path of ours answers. The path is empty when the person cancelled. */
  saveFile(file: { name: string; path?: string; text?: string }): Promise<{ path: string }>
  /** Listens until the function it returns is called. */
  listen(to: Listener): () => void
}

export interface FaultDetail {
  field?: string
  reason?: string
  allowed?: unknown[]
  unknown?: string[]
  [key: string]: unknown
}

/** What went wrong, in words for the reader; `field` says where. */
export class Fault extends Error {
  constructor(
    message: string,
    /** The HTTP status of our own answer, 0 when there was none. */
    readonly status = 0,
    readonly detail: FaultDetail = {},
    readonly cancelled = false,
    /** Seconds to wait before trying again, 0 when not said. */
    readonly retryAfter = 0,
    readonly code: string | number = '',
  ) {
    super(message)
    this.name = 'Fault'
  }

  get field(): string {
    return this.detail.field ?? ''
  }

  get unknown(): string[] {
    return this.detail.unknown ?? []
  }
}

/** Any thrown value as a Fault. */
export function asFault(e: unknown): Fault {
  if (e instanceof Fault) return e
  if (e instanceof DOMException && e.name === 'AbortError') return new Fault(text.cancelled, 0, {}, true)
  return new Fault(e instanceof Error ? e.message : String(e))
}
