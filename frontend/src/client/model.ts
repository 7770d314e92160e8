/** The shapes that several parts of the client share. */
import type { components, paths } from './api.gen' // from the portal's OpenAPI; never edited
import type { DocRow } from './document'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** Methods whose request carries a JSON body. */
export function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

export interface User {
  id: number
  name: string
  role: string
  /** What endpoints of the built-in portal ask for and the user holds, in the catalog's words. */
  rights?: string[]
  csrfToken: string
}

export type Session = components['schemas']['Whoami']

/** Paths of the portal whose GET answers a list with its total. */
export type ListPath = {
  [P in keyof paths]: paths[P] extends {
    get: { responses: { 200: { content: { 'application/json': { total: number } } } } }
  }
    ? P
    : never
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

/** A run through all pages of a list, as it ended. */
export interface RunReport {
  pages: number
  /** 0 when not known. */
  of: number
  items: number
  total: number | null
  /** Why it is not whole, one sentence without a period; '' when it is. */
  partial: string
  /** Of the page that failed, 0 for none. */
  status: number
  /** Whether it can go on from where it ended. */
  resume: boolean
  notes: string[]
}

/** A redirect that was followed. */
export interface Hop {
  status: number
  location: string
}

/** The portal's own words about what is wrong. */
export interface PortalError {
  message: string
  /** The parameter or field that is wrong, or ''. */
  field: string
  allowed: unknown[]
  /** The right that the role lacks, or ''. */
  right: string
  /** Seconds the portal asks to wait, 0 when it does not. */
  retryAfter: number
}

/** What an extractor found in an answer, or why nothing. */
export interface Extracted {
  extractor: number
  variable: string
  value: string
  problem: string
}
