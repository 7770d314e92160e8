import type { Endpoint, Property, Schema } from '../../client'
import type { Component } from 'svelte'
import { decimals } from '../../ui/locale'
import { text } from './text'

export type Values = Record<string, unknown>

export type Control = 'text' | 'long' | 'number' | 'choice' | 'switch' | 'secret' | 'zone' | 'words' | 'pairs' | 'ref'

/** The props of a custom control. */
export interface Part {
  id: string
  label: string
  value: unknown
  values: Values
  /** The problems inside the field, by what follows its name: `[0].addr`. */
  problems: Record<string, string>
  disabled: boolean
  onchange: (value: unknown) => void
  /**
   * Reports why the input at a place inside the field is invalid; '' if it is valid. The form saves
   * only valid input.
   */
  onrefuse: (below: string, why: string) => void
}

/** The plan of a field in a form. Omitted parts come from the API's schema. */
export interface FieldPlan {
  name: string
  label: string
  hint?: string
  control?: Control
  unit?: string
  /** The words for the values of an enum. */
  words?: Record<string, string>
  /** The source of the options of a `ref`. */
  from?: { path: string; value: string; text: string; none?: string }
  /** Whether the field applies to the other values. */
  when?: (values: Values) => boolean
  /** For values that are required only in some cases, which the schema cannot express. */
  required?: boolean
  /** Only for a new object, or only for an existing one. */
  only?: 'new' | 'old'
  /** A custom control. */
  view?: () => Promise<{ default: Component<Part> }>
  placeholder?: string
  /** Validates a value of a custom control, '' if it is valid. */
  check?: (value: unknown) => string
  /** Formats the value, to compare two of them. */
  textOf?: (value: unknown) => string
}

export interface Group {
  title: string
  fields: FieldPlan[]
}

/** A field with its plan completed by the schema. */
export interface Field extends FieldPlan {
  control: Control
  required: boolean
  options: { value: string; text: string }[]
  minimum?: number
  maximum?: number
  maxLength?: number
  integer: boolean
  readOnly: boolean
}

const controls: Partial<Record<Schema['type'], Control>> = { boolean: 'switch', integer: 'number', number: 'number' }

export function fieldOf(plan: FieldPlan, body: Schema | null | undefined): Field {
  const has: Property | undefined = body?.properties?.find((p) => p.name === plan.name)
  const values = has?.enum?.map(String) ?? Object.keys(plan.words ?? {})
  return {
    ...plan,
    control: plan.control ?? (values.length ? 'choice' : (has && controls[has.type]) || 'text'),
    required: plan.required ?? has?.required ?? false,
    readOnly: has?.readOnly ?? false,
    hint: plan.hint ?? '',
    options: values.map((value) => ({ value, text: plan.words?.[value] ?? value })),
    minimum: has?.minimum,
    maximum: has?.maximum,
    maxLength: has?.maxLength || undefined,
    integer: has?.type === 'integer',
  }
}

/** Returns the initial values of a new object: the schema's defaults. */
export function defaultsOf(body: Endpoint['body'] | undefined): Values {
  return Object.fromEntries(
    (body?.properties ?? [])
      .filter((p) => !p.readOnly && p.default !== undefined && p.default !== null)
      .map((p) => [p.name, p.default]),
  )
}

/** Validates a value before it is sent; '' if it is valid. */
export function problemOf(field: Field, value: unknown): string {
  if (field.check) return field.check(value)
  const empty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (empty) return field.required ? text.wrong.empty(field.label) : ''
  if (field.control === 'number') {
    const { minimum: least, maximum: most } = field
    if (typeof value !== 'number' || (field.integer && !Number.isInteger(value)))
      return field.integer ? text.wrong.whole(field.label) : text.wrong.number(field.label)
    if ((least !== undefined && value < least) || (most !== undefined && value > most))
      return text.wrong.range(field.label, least, most)
  }
  if (field.maxLength && typeof value === 'string' && [...value].length > field.maxLength)
    return text.wrong.long(field.label, field.maxLength)
  return ''
}

/** Parses a number; returns invalid text unchanged, and undefined for empty text. */
export function numberOf(typed: string): number | string | undefined {
  const word = decimals.read(typed.trim())
  return word === '' ? undefined : Number.isFinite(Number(word)) ? Number(word) : typed
}

/** Reports whether a problem's field is this one or inside it: `columns[2].name` is in `columns`. */
export function within(name: string, at: string): boolean {
  return at === name || at.startsWith(`${name}[`) || at.startsWith(`${name}.`)
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
