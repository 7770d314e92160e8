/** What a portal can be asked, as its catalog tells it. */
import type { Method } from './model'

export interface Param {
  name: string
  in: 'path' | 'query'
  type: string
  required: boolean
  doc: string
  enum?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  example?: unknown
  format?: string
  /** Of a filter: which operators go with which fields. */
  operators?: { fields: string[]; ops: string[] }[]
}

export interface Schema {
  type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'any'
  doc?: string
  format?: string
  properties?: Property[]
  items?: Schema
  enum?: unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  default?: unknown
  example?: unknown
  /** Where the objects are listed whose ids it holds: `/device/groups`. */
  list?: string
}

export type Property = { name: string; required?: boolean; readOnly?: boolean } & Schema

export interface Endpoint {
  /** "GET /device/devices" */
  id: string
  method: Method
  /** Template with {id}. */
  path: string
  category: string
  summary: string
  /** For what it returns, changes or removes: `device group`; '' for none. */
  noun: string
  doc: string
  permission: string
  admin: boolean
  deprecated: boolean
  params: Param[]
  body: Schema | null
  answer: Schema | null
  status: number
  errors: { status: number; when: string }[]
  example: {
    path: string
    query: { key: string; value: string }[]
    body: string | null
  }
}

export interface Category {
  name: string
  endpoints: Endpoint[]
}

export interface CatalogData {
  categories: Category[]
}
