/**
 * The only door to Go: what the page may ask, and the shapes that come back.
 * Every call rejects with a Fault; a cancelled call rejects with a Fault whose `cancelled` is true.
 */
import type { AskClient } from './ask'
import type { Kept } from './kept'
import type { CollectionsClient } from './collections'
import type { CatalogData } from './catalog'
import type { DataClient } from './data'
import type { DocumentClient } from './document'
import type { Schemas } from './explorer'
import type { LookupClient } from './lookup'
import type { DraftData, Followed, ListPath, Preview, Reply, SendRequest, Session, Snippet, VariableUse } from './model'
import type { MonitorClient } from './monitor'
import type { PortalsClient } from './portals'
import type { PastClient } from './past'
import type { RestClient } from './rest'
import type { TableClient } from './table'
import type { Settings, SettingsChanges } from './settings'
import type { SendingClient } from './sending'

export type * from './catalog'
export type { DocRow, Found, Rows } from './document'
export * from './fault'
export * from './model'
export type { Portal } from './portals'
export type { PagesProgress } from './sending'
export type * from './settings'

export type Start = Schemas['Start']
/** What a spyglass:// link leads to: a screen, a request, or nothing and why. */
export type Link = Schemas['LinkEvent']

/** The events of the stream, with the data of each. */
export type Events = Schemas['Events']

/** A function for each event that is listened to. */
export type Listener = { [K in keyof Events]?: (e: Events[K]) => void } & {
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
  saveSettings(change: SettingsChanges): Promise<Settings>
  catalog(): Promise<CatalogData>

  /** The portal's own API. */
  monitor: MonitorClient
  tabs: Kept<'/tabs'>
  /** A deleted one can be restored for two minutes, its secret with it. */
  variables: Kept<'/variables'> & {
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
  history: Kept<'/history'> & { clear(): Promise<void>; reply(id: number): Promise<Reply> }

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
   * Asks in the window where a file goes and writes it there: a text, or what a path of ours returns. The path is
   * empty when the person cancelled.
   */
  saveFile(file: Schemas['Save']): Promise<Schemas['SavedTo']>
  /** Listens until the function it returns is called. */
  listen(to: Listener): () => void
}
