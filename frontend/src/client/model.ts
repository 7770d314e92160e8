/** The types that several parts of the client share. */
import type { components, paths } from './api.gen' // from the portal's OpenAPI; do not edit
import type { Schemas } from './explorer'

export type Method = Schemas['Draft']['method']
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]

/** Whether requests with a method have a JSON body. */
export function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

export type User = Schemas['User']

export type Session = components['schemas']['Whoami']

/** Paths of the portal whose GET returns a list with its total. */
export type ListPath = {
  [P in keyof paths]: paths[P] extends {
    get: { responses: { 200: { content: { 'application/json': { total: number } } } } }
  }
    ? P
    : never
}[keyof paths]

export type Row = Schemas['Row']
/** A draft as stored and sent; the class Draft edits one. */
export type DraftData = Schemas['Draft']
export type Tab = Schemas['Tab']
export type Variable = Schemas['Variable']
/** A named set of variables of a portal. */
export type Environment = Schemas['Environment']
export type History = Schemas['History']
export type Quota = Schemas['Quota']
export type Reply = Schemas['Reply']
export type SendRequest = Schemas['Send']
export type PreviewVariable = Schemas['Used']
export type Preview = Schemas['Preview']
export type Token = Schemas['Token']
export type TokenClass = Token['class']
export type Snippet = Schemas['ShownSnippet']
export type Language = Schemas['Language']
/** The number of objects that a rename changed. */
export type Followed = Schemas['Renamed']
/** Where a variable is used, apart from open tabs. */
export type VariableUse = Schemas['Use']
/** A finished run through all pages of a list. */
export type RunReport = Schemas['RunReport']
/** A followed redirect. */
export type Hop = Schemas['Hop']
/** The error message of the portal. */
export type PortalError = Schemas['Problem']
/** An expectation of the response. */
export type Check = Schemas['Check']
export type CheckResult = Schemas['Result']
/** A kind of check, with its operators. */
export type CheckKind = Schemas['ShownKind']
/** The value that an extractor found in a response, or why it found none. */
export type Extracted = Schemas['Extracted']

export interface Listing<T> extends Omit<Schemas['TabList'], 'items'> {
  items: T[]
}

export interface ListQuery {
  size?: number
  offset?: number
  filter?: string
  sort?: string
  fields?: string
}

/** Rows of one kind that are stored for the user: tabs, variables, history. */
export interface Collection<T, New = Omit<T, 'id'>, Change = Partial<T>> {
  /** With `fields`, rows have only these fields. */
  list<K extends keyof T = keyof T>(
    query?: Omit<ListQuery, 'fields'> & { fields?: (K & string)[] },
  ): Promise<Listing<Pick<T, K>>>
  get(id: number): Promise<T>
  create(value: New): Promise<T>
  update(id: number, change: Change): Promise<T>
  remove(id: number): Promise<void>
}
