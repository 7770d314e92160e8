/**
 * The only door to Go: what the page may ask, and the shapes that come back.
 * Every call rejects with a Fault; a cancelled call rejects with a Fault whose `cancelled` is true.
 */
import type { AskClient } from './ask'
import type { BatchProgress, CollectionsClient } from './collections'
import type { CatalogData } from './catalog'
import type { DataClient, DataProgress } from './data'
import type { DocumentClient } from './document'
import type { LookupClient } from './lookup'
import type {
  Collection,
  DraftData,
  Followed,
  History,
  ListPath,
  Method,
  Preview,
  Reply,
  SendRequest,
  Session,
  Snippet,
  Tab,
  User,
  Variable,
  VariableUse,
} from './model'
import type { MonitorClient } from './monitor'
import type { Portal, PortalsClient } from './portals'
import type { PastClient } from './past'
import type { RestClient } from './rest'
import type { TableClient } from './table'
import type { Settings } from './settings'
import type { PagesProgress, SendingClient } from './sending'

export type * from './catalog'
export type { DocRow, Found, Rows } from './document'
export * from './fault'
export * from './model'
export type { Portal } from './portals'
export type { PagesProgress } from './sending'
export type * from './settings'

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
  workspace?(e: {
    kind: 'portals' | 'tabs' | 'collections' | 'variables' | 'history' | 'settings' | 'extractors'
  }): void
  /** A write of the history was taken back, here or in another window. */
  undone?(e: { historyId: number }): void
  session?(): void
  /** Something of a kind has changed in the portal: the name of its resource. */
  portal?(e: { kind: string }): void
  /** A spyglass:// link was opened outside of the page. */
  link?(e: Link): void
  /** How far a backup or a restore is. */
  data?(e: DataProgress): void
  /** Why the portal can write nothing; '' while it can. */
  storage?(e: { problem: string }): void
  /** The stream itself came or went; it comes back by itself. */
  stream?(connected: boolean): void
}

export interface Client
  extends
    AskClient,
    CollectionsClient,
    LookupClient,
    PastClient,
    SendingClient,
    TableClient,
    PortalsClient,
    RestClient,
    DocumentClient,
    DataClient {
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
  /**
   * Asks in the window where a file goes and writes it there: a text, or what a path of ours answers. The path is
   * empty when the person cancelled.
   */
  saveFile(file: { name: string; path?: string; text?: string }): Promise<{ path: string }>
  /** Listens until the function it returns is called. */
  listen(to: Listener): () => void
}
