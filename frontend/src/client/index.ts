/**
 * The only interface to Go: requests and the types of responses. Every call rejects with a Fault; a
 * cancelled call rejects with a Fault whose `cancelled` is true.
 */
import type { AddressClient } from './address'
import type { InspectClient } from './inspect'
import type { Kept } from './kept'
import type { CollectionsClient } from './collections'
import type { CatalogData } from './catalog'
import type { Http } from './call'
import type { DataClient } from './data'
import type { DocumentClient } from './document'
import type { Schemas } from './explorer'
import type { LinksClient } from './links'
import type { LookupClient } from './lookup'
import type { DraftData, Followed, ListPath, Preview, Reply, SendRequest, Session, Snippet, VariableUse } from './model'
import type { MonitorClient } from './monitor'
import type { PortalsClient } from './portals'
import type { PastClient } from './past'
import type { RestClient } from './rest'
import type { TableClient } from './table'
import type { Settings, SettingsChanges } from './settings'
import type { SendingClient } from './sending'
import type { TokensClient } from './tokens'

export type * from './catalog'
export type { DocRow, Found, Rows } from './document'
export * from './fault'
export * from './model'
export type { Portal } from './portals'
export type { PagesProgress } from './sending'
export type * from './settings'

export type Start = Schemas['Start']
/** The target of a spyglass:// link: a screen, a request, or nothing with the reason. */
export type Link = Schemas['LinkEvent']

/** The events of the stream, with the data of each. */
export type Events = Schemas['Events']

/** A handler for each event. */
export type Listener = { [K in keyof Events]?: (e: Events[K]) => void } & {
  /** The stream was connected or lost; it reconnects itself. */
  stream?(connected: boolean): void
}

export interface Client
  extends
    AddressClient,
    InspectClient,
    CollectionsClient,
    LinksClient,
    LookupClient,
    PastClient,
    SendingClient,
    TableClient,
    TokensClient,
    PortalsClient,
    RestClient,
    DocumentClient,
    DataClient {
  /** The same client for another portal: its tabs, variables and history, and requests to it. */
  at(portal: number): Client
  /** Returns a part of the client that is loaded later. */
  part<T>(of: (http: Http) => T): T
  /** Null if no user is signed in. */
  start(): Promise<Start | null>
  /** Rejects with a Fault whose detail has `secondFactor` if the user also needs a code. */
  signIn(username: string, password: string, code?: string): Promise<Session>
  /** Returns the name of the provider at which users can sign in; '' for none. */
  provider(): Promise<string>
  signOut(): Promise<void>
  /** Ends every other session of the user. */
  changePassword(password: string, newPassword: string): Promise<Session>
  /** Completes the set-up of the second factor, and returns recovery codes. Ends every other session of the user. */
  confirmFactor(code: string): Promise<string[]>
  saveSettings(change: SettingsChanges): Promise<Settings>
  catalog(): Promise<CatalogData>

  /** The portal's own API. */
  monitor: MonitorClient
  tabs: Kept<'/tabs'>
  /** A deleted variable can be restored for two minutes, with its secret. */
  variables: Kept<'/variables'> & {
    restore(id: number): Promise<void>
    /** Replaces the former name of a variable in saved requests and extractors. */
    follow(id: number, from: string): Promise<Followed>
    /** Undoes that for objects that have not changed since. */
    unfollow(id: number): Promise<Followed>
    /** Returns the ids of secret variables whose values are lost because there was no keyring. */
    missing(): Promise<number[]>
    /** Returns the variables that saved requests use; with `sent`, also when each was last sent. */
    uses(sent: boolean): Promise<{ items: VariableUse[] }>
  }
  /** Deleting one deletes its variables; it can be restored for two minutes, with their secrets. */
  environments: Kept<'/environments'> & { restore(id: number): Promise<void> }
  history: Kept<'/history'> & { clear(): Promise<void>; reply(id: number): Promise<Reply> }

  send(request: SendRequest, signal: AbortSignal): Promise<Reply>
  preview(draft: DraftData): Promise<Preview>
  snippet(draft: DraftData, language: string): Promise<Snippet>

  /** Returns the number of items in the portal's list at path, by requesting one. */
  count(path: ListPath): Promise<number>
  /** Opens http and https links outside the page. */
  openLink(url: string): void
  /** Switches the window to full screen, or back. */
  toggleFullScreen(): Promise<void>
  /** Sets the title of the window. */
  setTitle(title: string): Promise<void>
  /** Closes the window, and the program with it. */
  quit(): Promise<void>
  /**
   * Shows a save dialog in the window and writes a file there: a text, or the response of one of
   * our paths. The path is empty if the user cancels.
   */
  saveFile(file: Schemas['Save']): Promise<Schemas['SavedTo']>
  /** Shows a dialog for a folder in the window. The path is empty if the user cancels. */
  chooseFolder(title: string): Promise<Schemas['ChosenFolder']>
  /** Whether the system opens the window when the user signs in to the computer. */
  autostart(): Promise<Schemas['AutostartState']>
  setAutostart(on: boolean): Promise<Schemas['AutostartState']>
  /** Listens until the returned function is called. */
  listen(to: Listener): () => void
}
