/** {{variables}} in text: their positions and values. */
import type { Variable } from '../../client'
import type { Offer } from './suggest'
import { text as texts } from './text'

/** A variable in use; `of` is the name of its environment. */
export type InUse = Variable & { of?: string }

export interface Part {
  text: string
  /** The name, if the part is a variable. */
  variable?: string
}

/** Splits the text into variables and other parts. */
export function parts(text: string): Part[] {
  const out: Part[] = []
  let from = 0
  for (const m of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    if (m.index > from) out.push({ text: text.slice(from, m.index) })
    out.push({ text: m[0], variable: m[1].trim() })
    from = m.index + m[0].length
  }
  if (from < text.length) out.push({ text: text.slice(from) })
  return out
}

/** Returns the names of the {{variables}} in a text. */
export function variablesIn(text: string): string[] {
  return parts(text).flatMap((p) => p.variable ?? [])
}

export function hasVariable(text: string): boolean {
  return /\{\{[^{}]*\}\}/.test(text)
}

const builtIns = [
  { name: '$now', doc: texts.variables.nowInEpoch },
  { name: '$now-1h', doc: texts.variables.anHourAgo },
  { name: '$uuid', doc: texts.variables.aRandomId },
  { name: '$userId', doc: texts.variables.theIdOf },
]

/** Whether Go fills in a name: {{$now}}, {{$now-1h}}, {{$uuid}}, {{$userId}}. */
export function isBuiltIn(name: string): boolean {
  return /^\$(?:now(?:[+-]\d{1,9}[smhdw])?|uuid|userId)$/.test(name)
}

/** The value and the scope of a variable, as text. */
export interface Meaning {
  name: string
  state: 'known' | 'unknown' | 'secret'
  value: string
  /** `portal variable`, `not set`. */
  source: string
}

export function meaningOf(name: string, find: (name: string) => InUse | undefined): Meaning {
  const v = find(name)
  if (v?.secret)
    return { name, state: 'secret', value: '••••••', source: texts.variables.secretVariableIn(v.of ?? v.scope) }
  if (v) return { name, state: 'known', value: v.value, source: `${v.of ?? v.scope} variable` }
  if (isBuiltIn(name)) return { name, state: 'known', value: '', source: texts.variables.builtInFilled }
  return { name, state: 'unknown', value: '', source: texts.variables.notSetAdd }
}

/** Returns the variable at the caret. */
export function variableAt(text: string, caret: number): string | undefined {
  for (const m of text.matchAll(/\{\{([^{}]*)\}\}/g))
    if (caret >= m.index && caret <= m.index + m[0].length) return m[1].trim()
  return undefined
}

/** Suggests names of variables and built-ins when the caret is after an open {{. */
export function offerVariables(text: string, caret: number, variables: readonly InUse[]): Offer | undefined {
  const open = /\{\{\s*([^{}]*)$/.exec(text.slice(0, caret))
  if (!open) return undefined
  const rest = /^[^{}\s"]*\}{0,2}/.exec(text.slice(caret))?.[0] ?? ''
  if (rest.endsWith('}}') && isBuiltIn(open[1].trim())) return undefined
  const names = new Set<string>()
  const own = variables.filter((v) => !names.has(v.name) && names.add(v.name))
  const options = [
    ...own.map((v) => ({
      label: v.name,
      insert: `{{${v.name}}}`,
      detail: v.secret ? '••••••' : v.value,
      note: v.secret ? texts.variables.secret : (v.of ?? v.scope),
    })),
    ...builtIns.map((b) => ({ label: b.name, insert: `{{${b.name}}}`, detail: b.doc, note: texts.variables.builtIn })),
  ]
  const typed = open[1].toLowerCase()
  return {
    label: texts.variables.variables,
    first: true,
    from: open.index,
    to: caret + (rest.endsWith('}') ? rest.length : 0),
    options: options.filter((o) => o.label.toLowerCase().includes(typed)),
  }
}
