/** Completions, diagnostics and tooltips of the JSON editor, from the endpoint's schema. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Diagnostic } from '@codemirror/lint'
import { hoverTooltip, type Tooltip } from '@codemirror/view'
import type { Schema, Variable } from '../client'
import { hint, schemaAt } from '../state/catalog/schema'
import { check } from './check'
import { exampleOf } from '../state/request/example'
import { parse, type Node } from '../state/request/json'
import { meaningOf, offerVariables, variableAt } from '../state/request/variables'
import { text as texts } from './text'

export interface Known {
  schema(): Schema | undefined
  /** Whether required fields must be present. */
  whole(): boolean
  variables(): readonly Variable[]
  variable(name: string): Variable | undefined
}

/** Returns syntax errors, or else violations of the schema and unknown variables. */
export function diagnose(text: string, known: Known): Diagnostic[] {
  const { problem, root } = parse(text)
  if (problem) {
    const from = Math.min(problem.at, text.length)
    return [{ from, to: Math.min(from + 1, text.length), severity: 'error', message: problem.message }]
  }
  const found: Diagnostic[] = [...text.matchAll(/\{\{([^{}]*)\}\}/g)]
    .filter((m) => meaningOf(m[1].trim(), (n) => known.variable(n)).state === 'unknown')
    .map((m) => ({
      from: m.index,
      to: m.index + m[0].length,
      severity: 'warning',
      message: texts.editorSchema.isNotSet(m[1].trim()),
    }))
  const schema = known.schema()
  return root && schema ? [...found, ...check(text, root, schema, known.whole())] : found
}

/** Completes names of variables after {{. */
export function completeVariables(context: CompletionContext, known: Known): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos)
  const offer = offerVariables(line.text, context.pos - line.from, known.variables())
  if (!offer?.options.length) return null
  return {
    from: line.from + offer.from,
    to: line.from + offer.to,
    filter: false,
    options: offer.options.map((o): Completion => ({ label: o.insert, detail: o.detail, type: 'variable' })),
  }
}

/** Returns the docs of the field under the pointer, or the value of a variable. */
export const hovers = (known: Known) =>
  hoverTooltip((view, pos): Tooltip | null => {
    const text = view.state.doc.toString()
    const line = view.state.doc.lineAt(pos)
    const name = variableAt(line.text, pos - line.from)
    if (name !== undefined) {
      const m = meaningOf(name, (n) => known.variable(n))
      return tip(pos, m.name, m.value, m.source)
    }
    const { root } = parse(text)
    const at = root && pathTo(root, pos)
    const schema = at && schemaAt(known.schema(), at.path)
    if (!at || !schema) return null
    const p = schema as Schema & { required?: boolean; readOnly?: boolean }
    const words = [
      hint(p),
      p.format,
      p.required ? texts.editorSchema.required : '',
      p.readOnly ? texts.editorSchema.setByThe : '',
      p.maxLength ? texts.editorSchema.atMostCharacters(p.maxLength) : '',
    ]
    return tip(at.start, String(at.path.at(-1)), words.filter(Boolean).join(', '), p.doc ?? '')
  })

function tip(pos: number, title: string, value: string, text: string): Tooltip {
  return {
    pos,
    above: true,
    create() {
      const dom = document.createElement('div')
      dom.className = 'cm-about'
      for (const [tag, words] of [
        ['b', title],
        ['span', value],
        ['p', text],
      ] as const) {
        if (!words) continue
        dom.append(Object.assign(document.createElement(tag), { textContent: words }))
      }
      return { dom }
    },
  }
}

/** Returns the path to the member whose key is at a position. */
function pathTo(root: Node, at: number): { path: (string | number)[]; start: number } | undefined {
  const path: (string | number)[] = []
  for (let node: Node | undefined = root; node;) {
    const i: number = node.members.findIndex((m) => at >= m.start && at <= m.value.end)
    const member: Node['members'][number] | undefined = node.members[i]
    if (!member) return undefined
    path.push(member.key ?? i)
    if (member.key !== undefined && at <= member.keyEnd) return { path, start: member.start }
    node = member.value
  }
  return undefined
}

/** Field names and values of the endpoint's schema at the cursor. */
export function complete(context: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  const word = context.matchBefore(/"?[\w.-]*/)
  if (!schema || !word || (word.from === word.to && !context.explicit)) return null
  const text = context.state.doc.toString()
  const path = pathAt(text, word.from)
  const before = text.slice(0, word.from).trimEnd()
  const to = context.pos + (word.text.startsWith('"') && text[context.pos] === '"' ? 1 : 0) // including an added closing quote
  const typed = word.text.replace('"', '').toLowerCase()
  /** Filtered here: the editor would also match the quotes. */
  const offer = (options: Completion[]): CompletionResult | null => {
    const at = (o: Completion) => o.label.replace('"', '').toLowerCase().indexOf(typed)
    const fit = options.filter((o) => at(o) >= 0).sort((a, b) => Number(at(a) > 0) - Number(at(b) > 0))
    return fit.length ? { from: word.from, to, filter: false, options: fit } : null
  }
  if (before.endsWith(':')) {
    const key = /"((?:[^"\\]|\\.)*)"\s*:$/.exec(before)?.[1] ?? ''
    const at = schemaAt(schema, [...path, key])
    const values = at?.enum ?? (at?.type === 'boolean' ? [true, false] : [])
    return offer(values.map((v) => ({ label: JSON.stringify(v), type: 'constant' })))
  }
  if (!/[{,]$/.test(before)) return null
  const object = schemaAt(schema, path)
  const names = object?.properties?.filter((p) => !p.readOnly) ?? []
  return offer(
    names.map((p) => ({
      label: `"${p.name}"`,
      apply: `"${p.name}": ${starter(p)}`,
      detail: hint(p),
      info: p.doc,
      type: 'property',
    })),
  )
}

/**
 * Returns the keys and indexes around a position by counting brackets: the text need not be valid.
 */
function pathAt(text: string, at: number): (string | number)[] {
  const path: (string | number)[] = []
  const stack: { array: boolean; index: number; key: string }[] = []
  const token = /"(?:[^"\\\n]|\\.)*"(\s*:)?|[{}[\],]/g
  for (let m = token.exec(text); m && m.index < at; m = token.exec(text)) {
    const top = stack.at(-1)
    const t = m[0]
    if (t === '{' || t === '[') stack.push({ array: t === '[', index: 0, key: '' })
    else if (t === '}' || t === ']') stack.pop()
    else if (t === ',' && top) top.index++
    else if (m[1] && top) top.key = t.slice(1, t.lastIndexOf('"'))
  }
  stack.pop()
  for (const s of stack) path.push(s.array ? s.index : s.key)
  return path
}

/** Returns the initial text of a field by its type. */
function starter(s: Schema): string {
  if (s.type === 'string' && !s.enum?.length && s.default === undefined) return '""'
  return JSON.stringify(exampleOf(s)) ?? 'null'
}
